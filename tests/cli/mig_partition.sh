#!/usr/bin/env bash
# A partitioner makes instances on demand: each creation takes mig_create, idle ones are reclaimed, modes change only where nothing runs.
. "$(dirname "$0")/lib.sh"

nodes() {
  cat <<INI
[nodes a]
type = dgx-a100-80g
count = 1
gpus = 1
mig = $1
mig_create = 2s
mig_mode = 10s
mig_reset = 30s
[policy]
partitioner = partition
INI
}

# Ampere: mode and reset 40 s, then 2 s to make the instances. Two halves, then seven small ones where they stood: only when both are idle.
{
  nodes all-disabled
  cat <<INI
[workload half]
count = 2
mig = 3g.40gb
duration = constant 100s
[workload small]
count = 7
from = 60s
mig = 1g.10gb
duration = constant 100s
INI
} >demand.ini
gsim demand.ini -o demand.h5
expect_status 0
h5 demand.h5 <<'PY'
j, m = jobs(files[0]), columns(files[0], 'mig_instances')
assert (j['first_start_s'][:2] == 42).all(), j['first_start_s']
assert (j['first_start_s'][2:] == 144).all(), j['first_start_s']
assert list(m['from_s']) == [40, 40] + [142] * 7, m['from_s']
assert sorted(m['start'][:2]) == [0, 4] and sorted(m['start'][2:]) == list(range(7))
assert (m['to_s'][:2] == 142).all() and np.isnan(m['to_s'][2:]).all()
PY

# Draining: without it a stream of small jobs keeps the half from ever being free.
stream() {
  nodes all-enabled
  cat <<INI
[policy partition]
drain = $1
[workload small]
count = 60
arrivals = constant 108/h
mig = 1g.10gb
duration = constant 200s
[workload half]
count = 1
from = 600s
mig = 3g.40gb
duration = constant 100s
INI
}
for drain in no yes; do
  stream $drain | sed 's/^partitioner = partition/&\nbackfill = greedy/' >drain-$drain.ini
  gsim drain-$drain.ini -o drain-$drain.h5
  expect_status 0
done
h5 drain-no.h5 drain-yes.h5 <<'PY'
no, yes = (jobs(f)['wait_s'][jobs(f)['mig_profile'] == b'3g.40gb'][0] for f in files)
assert yes < no, (no, yes)
PY
finish
