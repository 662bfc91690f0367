#!/usr/bin/env bash
# validate checks without running, and --show tells where every setting comes from.
. "$(dirname "$0")/lib.sh"
mini
gsim validate mini.ini
expect_status 0
expect_out '16'
expect_no_file results
gsim validate mini.ini --show
expect_status 0
expect_out 'order'
expect_out 'mini\.ini:15'
expect_out 'default'
gsim validate mini.ini --show --set policy.order=sjf
expect_status 0
expect_out '--set'
finish
