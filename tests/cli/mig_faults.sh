#!/usr/bin/env bash
# A partitioner that answers what must not be: exit status 3, a message that names the module and what it did, and a valid file that is not
# complete, whose /mig_instances holds what existed: nothing of the refused answer.
. "$(dirname "$0")/lib.sh"
modules=$(dirname "$GSIM")/tests/modules
[ -e "$modules/gsp_partition-fault.so" ] || skip_all 'no gsp_partition-fault.so beside the program: tests are not built'

faulty() { # faulty HOW
  cat >"$1.ini" <<INI
[nodes a]
type = dgx-a100-80g
count = 1
gpus = 2
mig = all-enabled
mig_create = 2s
[policy]
partitioner = bad
[policy bad]
module = partition-fault
how = $1
[workload w]
count = 40
arrivals = constant 360/h
mig = 2g.20gb
duration = constant 100s
INI
  gsim run "$1.ini" -o "$1.h5" --policy-path "$modules"
}

while read -r how why; do
  faulty "$how"
  expect_status 3
  expect_err "policy module 'partition-fault' \(\[policy bad\]\) faulted in layout.*$why"
  expect_file "$how.h5"
  expect_no_file "$how.h5.part"
  h5 "$how.h5" <<'PY'
f = files[0]
assert int(f.attrs['complete']) == 0
assert b"'partition-fault'" in bytes(f.attrs['exit_reason']), f.attrs['exit_reason']
m = columns(f, 'mig_instances')
assert len(m['gpu']) == 6 and np.isnan(m['to_s']).all(), m
PY
done <<'CASES'
illegal-start where the geometry of the device does not allow it
overlap where the geometry of the device does not allow it
destroy-held not there, or not idle
destroy-nothing not there, or not idle
negative on purpose \(code -5\)
foreign-device a device that it was not shown
foreign-profile a profile that the device has not
mode-busy the mode of a device that is not idle
mode-twice the mode that a device has
too-many more changes than there is room for
other-rows more changes than there is room for
unknown-act a change of an unknown kind
drain-nothing drains an instance that is not there
CASES

faulty none
expect_status 0
finish
