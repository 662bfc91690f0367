#!/usr/bin/env bash
# Help: every command explains itself on standard output, with an example, and exits 0.
. "$(dirname "$0")/lib.sh"

gsim --help
expect_status 0
expect_out 'gsim'
expect_out 'run'
expect_out 'validate'

gsim help
expect_status 0
expect_out 'run'

gsim --version
expect_status 0
expect_out '^gsim 0\.1\.0'

for command in run validate plot 'trace info' 'policy list' 'policy show' catalog reproduce; do
  # shellcheck disable=SC2086  # two words
  gsim $command --help
  expect_status 0
  expect_out "gsim ${command%% *}"
  expect_out '[Ee]xample'
done
for command in run validate plot trace policy catalog reproduce; do
  gsim help $command
  expect_status 0
  expect_out "gsim $command"
done

# Keys and metrics come from the tables that the program itself uses.
gsim help metrics
expect_status 0
expect_out 'jobs\.wait'
gsim help horizon
expect_status 0
expect_out 'horizon'
gsim help jobs.wait
expect_status 0

gsim help no-such-thing
expect_status 2
expect_err 'no-such-thing'
finish
