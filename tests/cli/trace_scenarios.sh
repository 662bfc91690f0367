#!/usr/bin/env bash
# Every scenario of scenarios/traces/ runs on its sample, shows what its [expect] says, and says where the full data is.
. "$(dirname "$0")/lib.sh"
gsim check "$source_dir/scenarios/traces" -j 2
expect_status 0
for scenario in "$source_dir"/scenarios/traces/*.ini; do
  expect "$scenario does not say where the full data is" grep -q '^; .*The full data:' "$scenario"
done
finish
