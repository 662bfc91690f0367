#!/usr/bin/env bash
# A module that faults: exit status 3, a message that names module, section, hook, cycle and cause, and a file that is valid, says
# complete = 0 and why. The same for a module that loads but fails in create: there is no run, and no file.
. "$(dirname "$0")/lib.sh"
modules=$(dirname "$GSIM")/tests/modules
[ -e "$modules/gsp_fault.so" ] || skip_all 'no gsp_fault.so beside the program: tests are not built'

# faulty HOW: mini.ini under the whole-cycle module of tests/modules/gsp_fault.c.
faulty() {
  mini 50
  sed -i "/^order\|^placement/d; s/^\[policy\]/[policy]\nscheduler = bad/" mini.ini
  printf '[policy bad]\nmodule = fault\nhow = %s\nfrom = 20\n' "$1" >>mini.ini
}

faulty in-cycle
gsim run mini.ini -o fault.h5 --policy-path "$modules"
expect_status 3
expect_err "policy module 'fault' \(\[policy bad\]\) faulted in cycle, cycle 20: it reports an error: on purpose \(code -7\)"
expect_file fault.h5
expect_no_file fault.h5.part
if have_h5py && [ -s fault.h5 ]; then
  expect 'complete = 0' test "$(attribute fault.h5 complete)" = 0
  last='exit_reason of fault.h5'
  attribute fault.h5 exit_reason >out 2>err
  expect_out "module 'fault'.* in cycle, cycle 20"
fi

faulty never-job
gsim run mini.ini -o never.h5 --policy-path "$modules"
expect_status 3
expect_err 'a job or task that never existed'

faulty none
gsim run mini.ini -o fine.h5 --policy-path "$modules"
expect_status 0

faulty in-create
gsim run mini.ini -o create.h5 --policy-path "$modules"
expect_status 3
expect_err 'faulted in create'
expect_no_file create.h5

mini 5
sed -i 's/^order = .*/order = bad-layout/' mini.ini
gsim run mini.ini -o bad.h5 --policy-path "$modules"
expect_status 2
expect_err 'layout fingerprint'
expect_no_file bad.h5
finish
