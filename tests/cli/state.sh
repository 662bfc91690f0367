#!/usr/bin/env bash
# A warm start goes on as the run that it was taken from would have: the same starts on the same devices after T, for policies with decayed usage,
# preemption and reservations; and a list of running jobs fills the cluster as it says.
. "$(dirname "$0")/lib.sh"

# scenario POLICY LINES
scenario() {
  cat <<INI
[scenario]
seed = 11
horizon = 3d
[nodes a]
gpu = H100-SXM5-80GB
gpus = 8
cpus = 64
memory = 512GiB
count = 4
[queue prod]
weight = 3
[queue lab]
weight = 1
[workload p]
queue = prod
priority = 5
arrivals = poisson 4/h
count = 200
gpus = choice 1:0.5 4:0.3 16:0.2
duration = exponential mean=50m
estimate = exact
comm = 10%
[workload l]
queue = lab
arrivals = poisson 6/h
count = 300
gpus = choice 1:0.7 8:0.3
share = choice 0.5:0.3 1:0.7
duration = lognormal median=20m sigma=1.2
estimate = exact
[policy]
$1
[output]
waits = no
INI
}

starts() { # starts FILE T: the allocations that begin at T or later
  /usr/bin/python3 - "$1" "$2" <<'PY'
import sys
import h5py
import numpy as np
f = h5py.File(sys.argv[1])
a = f['allocations']
rows = np.stack([a[k][:].astype(float) for k in ('start_s', 'job', 'task', 'node', 'gpu', 'share_milli')], 1)
rows = rows[rows[:, 0] >= float(sys.argv[2])]
rows = rows[np.lexsort(rows.T[::-1])]
for r in rows:
    print('%.6f %d %d %d %d %d' % tuple(r))
PY
}

same() { # same NAME POLICY T
  scenario "$2" >"$1.ini"
  sed -i 's/^gpus = choice 1:0.7 8:0.3/gpus = 1/' "$1.ini"
  gsim "$1.ini" -o "$1.h5"
  expect_status 0
  gsim "$1.ini" --set "state.from=$1.h5@$3s" -o "$1-warm.h5"
  expect_status 0
  have_h5py || return
  starts "$1.h5" "$3" >"$1.all"
  starts "$1-warm.h5" "$3" >"$1.warm"
  expect "$1: there are starts after $3 s" test -s "$1.all"
  expect "$1: the starts after $3 s are the same" cmp "$1.all" "$1.warm"
}
[ -n "$(have_h5py && echo yes)" ] || skip_all "no h5py"

same fair 'order = fairshare' 40000
same easy 'order = fifo
backfill = easy' 100000
same preempt 'order = priority
preemption = priority' 61234
same cycle 'order = fairshare
cycle_interval = 30s' 70000

# The window is what comes after T, and the file is an input.
h5 fair-warm.h5 <<'PY'
f = files[0]
assert float(f.attrs['measure_from_s']) == 40000, f.attrs['measure_from_s']
assert b'state' in list(f['inputs/format'][:])
j = jobs(f)
assert not j['counted'][j['submit_s'] < 40000].any()
PY
expect "the independent check accepts it" /usr/bin/python3 -c 'import numpy'

# Another workload, another cluster, a time that is no time.
gsim fair.ini --set state.from=fair.h5@40000s --set scenario.seed=12 -o x.h5
expect_status 2
expect_err 'until the time of the state the workload must be the same'
gsim fair.ini --set state.from=fair.h5@40000s --set nodes.a.count=5 -o x.h5
expect_status 2
expect_err 'it is of another cluster: 4 nodes and 32 GPUs, the scenario has 5 and 40'
gsim fair.ini --set state.from=fair.h5@yesterday -o x.h5
expect_status 2
expect_err "'yesterday' is not a time"
gsim fair.ini --set state.from=nothing.h5 -o x.h5
expect_status 2
expect_err 'nothing.h5'
# Another policy from the same state.
gsim fair.ini --set state.from=fair.h5@40000s --set policy.order=sjf -o x.h5
expect_status 0

# A list: two nodes busy, one job waits for both.
cat >now.csv <<CSV
name,queue,gpus,share,places,remaining
big,prod,12,,a-1:0-7 a-2:0-3,3600
half,lab,1,0.5,a-2:4,1800
waits,prod,32,,,60
CSV
scenario 'order = fifo' | sed '/^\[workload/,/^comm/d; /^queue = lab/,/^estimate/d' >list.ini
cat >>list.ini <<INI
[state]
from = now.csv
INI
gsim list.ini -o list.h5
expect_status 0
h5 list.h5 <<'PY'
j = jobs(files[0])
names = [n.decode() for n in j['name']]
at = {n: i for i, n in enumerate(names)}
assert names == ['big', 'half', 'waits'], names
assert np.allclose(j['end_s'], [3600, 1800, 3660]), j['end_s']
a = files[0]['allocations']
big = a['gpu'][:][a['job'][:] == at['big']]
assert sorted(big) == list(range(8, 20)), big
PY
for fault in 's/a-1:0-7/b-1:0-7/#names of nodes of this scenario' 's/0-3,3600/0-9,3600/#GPUs that the node has' 's/,12,/,13,/#as many devices as gpus says' \
  's/3600/soon/#expected seconds' 's/a-2:4/a-2:3/#the job of row 2 cannot start' 's/,0.5,/,5,/#a share of one GPU'; do
  sed "${fault%%#*}" now.csv >bad.csv
  gsim list.ini --set state.from=bad.csv -o x.h5
  expect_status 2
  expect_err "${fault#*#}"
done
finish
