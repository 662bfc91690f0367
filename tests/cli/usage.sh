#!/usr/bin/env bash
# Wrong usage: exit status 2, a message on standard error that names the culprit, nothing on standard output.
. "$(dirname "$0")/lib.sh"
mini

nothing_said() { [ ! -s out ]; }

gsim run
expect_status 2
expect_err 'scenario|FILE'
gsim run mini.ini --no-such-flag
expect_status 2
expect_err 'no-such-flag'
expect 'nothing on standard output' nothing_said
gsim rnu mini.ini
expect_status 2
expect_err 'rnu'
gsim run mini.ini --seed twelve
expect_status 2
expect_err 'twelve'
gsim run mini.ini --seed -1
expect_status 2
gsim run mini.ini --color sometimes
expect_status 2
expect_err 'sometimes'
gsim run mini.ini --replications 0
expect_status 2
gsim run mini.ini --set nodes.small.count
expect_status 2
gsim run mini.ini --set nodes.small.cuont=3
expect_status 2
expect_err 'cuont'
expect_err "did you mean.*count|nearest.*count|'count'"
gsim run mini.ini --set nodes.small.count=many
expect_status 2
expect_err "'many'"
gsim run mini.ini --policy-path /nonexistent --set policy.scheduler=no-such-module
expect_status 2
expect_err 'no-such-module'
gsim catalog spoons
expect_status 2
expect_err 'spoons'
gsim policy show no-such-module
expect_status 2
expect_err 'no-such-module'
gsim trace info
expect_status 2
expect_no_file results
finish
