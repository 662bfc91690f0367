#!/usr/bin/env bash
# What is never given up, with the whole machine room in a run: the same bytes from any number of workers, a warm start that goes on as the run
# it was taken from, results that do not depend on the order in which equal nodes are listed, parts that sum, and a good end in hostile scenarios.
. "$(dirname "$0")/lib.sh"
room=$source_dir/tests/golden/room.ini

# ---- workers: replications, and points of a sweep ----
cp "$room" few.ini
printf '\n[sweep]\nfailures.spares = 0 | 2\nworkload.train.checkpoint = 10m | daly\n' >sweep.ini
cat "$room" sweep.ini >points.ini
for kind in 'few.ini --replications 3' points.ini; do
  # shellcheck disable=SC2086  # a file and options
  {
    gsim run $kind -j 1 -o one.h5
    expect_status 0
    gsim run $kind -j 2 -o two.h5
    expect_status 0
  }
  expect "$kind: the same bytes with one and with two workers" cmp one.h5 two.h5
done

have_h5py || skip_all 'no h5py: the rest looks into results files'

# ---- a warm start under failures, repairs, a rolling maintenance, image pulls and checkpoints ----
cat >times.py <<'PY'
"""Instants at which the machine room is busy: starts, ends, failures, the calendar; and between them."""
import h5py
import numpy as np
with h5py.File('room.h5') as f:
    t = [np.unique(f[g][c][:]) for g, c in (('allocations', 'start_s'), ('attempts', 'end_s'), ('outages', 'start_s'))]
print(*('%.9f' % x for a in t for x in a[[len(a) // 4, len(a) // 2, 3 * len(a) // 4]]), 3600, 94300.5)
PY
cat >alike.py <<'PY'
"""Both files did the same on the same devices at the same times."""
import sys
import h5py
import numpy as np
def rows(f, group, names):
    a = np.stack([np.nan_to_num(f[group][k][:].astype(float), nan=-9) for k in names], 1)
    return a[np.lexsort(a.T[::-1])]
with h5py.File(sys.argv[1]) as a, h5py.File(sys.argv[2]) as b:
    for group, names in (('allocations', ['start_s', 'end_s', 'job', 'task', 'node', 'gpu']),
                         ('attempts', ['start_s', 'end_s', 'job', 'attempt', 'outcome', 'lost_gpu_s'])):
        x, y = rows(a, group, names), rows(b, group, names)
        assert x.shape == y.shape, (group, x.shape, y.shape)
        assert np.allclose(x, y, rtol=0, atol=1e-6), (group, x[~np.isclose(x, y).all(1)][:1])
PY
gsim run "$room" -o room.h5
expect_status 0
for t in $(/usr/bin/python3 times.py); do
  gsim run "$room" --set "state.from=$work/room.h5@${t}s" -o warm.h5
  expect_status 0
  expect "the same run from its state at $t s" /usr/bin/python3 alike.py room.h5 warm.h5
done

# ---- equal nodes in another order: two kinds of node, listed either way round, whose jobs name the kind ----
kind_of_nodes() { # kind_of_nodes NAME TYPE LINES
  printf '[nodes %s]\ntype = %s\ncount = 8\n%s\n' "$1" "$2" "${3:-}"
}
jobs_on() { # jobs_on NAME MODEL LINES
  printf '[workload %s]\ngpu = %s\narrivals = poisson 12/h\ncount = 150\nduration = lognormal median=40m sigma=1\nestimate = exact\n%s\n' \
    "$1" "$2" "$3"
}
cat >alike_jobs.py <<'PY'
"""The same fate of each job, and the same figures to the last digit."""
import sys
import h5py
import numpy as np
with h5py.File(sys.argv[1]) as a, h5py.File(sys.argv[2]) as b:
    for k in ('first_start_s', 'end_s', 'compute_s', 'communication_s', 'input_wait_s', 'checkpoint_s', 'startup_s', 'idle_s', 'preemptions'):
        assert np.array_equal(a['jobs'][k][:], b['jobs'][k][:], equal_nan=True), k
    for k in ('name', 'value'):
        x, y = a['summary'][k][:], b['summary'][k][:]
        assert all(p == q or p != p and q != q for p, q in zip(x, y)), [(a['summary/name'][i], x[i], y[i]) for i in range(len(x)) if x[i] != y[i]][:3]
PY
either_way() { # either_way WHAT HEAD NODES_A NODES_B JOBS
  printf '%s\n%s\n%s\n%s\n' "$2" "$3" "$4" "$5" >ab.ini
  printf '%s\n%s\n%s\n%s\n' "$2" "$4" "$3" "$5" >ba.ini
  gsim run ab.ini -o ab.h5
  expect_status 0
  gsim run ba.ini -o ba.h5
  expect_status 0
  expect "$1: the same results in either order of the nodes" /usr/bin/python3 alike_jobs.py ab.h5 ba.h5
}
head='[scenario]
seed = 4
[policy]
order = fifo
placement = bestfit
backfill = easy'
a=$(kind_of_nodes a dgx-a100-80g) h=$(kind_of_nodes h dgx-h100)
gangs='gpus = choice 1:0.3 8:0.3 24:0.4
comm = 30%'
either_way network "$head
[network]
kind = rail
leaf_nodes = 8
oversubscription = 4" "$a" "$h" "$(jobs_on wa A100-SXM4-80GB "$gangs")
$(jobs_on wh H100-SXM5-80GB "$gangs")"
pull='gpus = choice 1:0.5 4:0.5
image = base:6GiB + 2GiB
weights = 30GiB
input = 150MB/s
checkpoint = 15m
checkpoint_size = 100GiB'
either_way storage "$head
[storage]
read = 8GB/s
write = 4GB/s
registry = 1GB/s
node = 5GB/s" "$a" "$h" "$(jobs_on wa A100-SXM4-80GB "$pull")
$(jobs_on wh H100-SXM5-80GB "$pull")"
either_way MIG "$head" "$(kind_of_nodes a dgx-a100-80g 'mig = all-balanced')" "$(kind_of_nodes h dgx-h100 'mig = all-1g.10gb')" \
  "$(printf '[workload w]\narrivals = poisson 400/h\ncount = 600\nmig = 2g.20gb:0.5 3g.40gb:0.5\nduration = exponential mean=3h\nestimate = exact\n')"

# ---- hostile scenarios: each ends well, the parts of allocated time sum, and no device is held twice ----
cat >sound.py <<'PY'
import sys
import h5py
import numpy as np
PARTS = ('compute_s', 'communication_s', 'input_wait_s', 'checkpoint_s', 'startup_s', 'gang_wait_s', 'throttled_s', 'idle_s')
with h5py.File(sys.argv[1]) as f:
    j = f['jobs']
    run, parts = j['run_s'][:], sum(j[k][:] for k in PARTS)
    bad = np.nonzero(np.isfinite(run) & (np.abs(parts - run) > 1e-6 * np.maximum(1, run)))[0]
    assert not len(bad), ('parts', bad[:3], parts[bad[:3]], run[bad[:3]])
    if 'allocations' in f:
        a = f['allocations']
        end = np.nan_to_num(a['end_s'][:], nan=float(f.attrs['end_s']))
        whole = (a['gpu'][:] >= 0) & (a['share_milli'][:] == 1000) & (end > a['start_s'][:])
        o = np.lexsort((a['start_s'][:][whole], a['gpu'][:][whole]))
        g, s, e = a['gpu'][:][whole][o], a['start_s'][:][whole][o], end[whole][o]
        assert not np.any((g[1:] == g[:-1]) & (s[1:] < e[:-1] - 1e-9)), 'held twice'
PY
hostile() { # hostile NAME LINES OF [workload w] and of sections behind it
  cat >"$1.ini" <<INI
[scenario]
seed = 6
horizon = 20h
[nodes a]
type = dgx-a100-80g
count = 3
[policy]
order = priority
placement = worstfit
preemption = priority
[workload first]
count = 12
gpus = 8
duration = constant 30m
estimate = exact
[workload w]
arrivals = poisson 20/h
priority = 3
$2
INI
  gsim run "$1.ini" -o "$1.h5"
  expect_status 0
  expect "$1: sound" /usr/bin/python3 sound.py "$1.h5"
}
hostile together 'gpus = choice 1:0.5 8:0.5
duration = constant 10m
[failures]
node = constant 30m
node_repair = constant 30m
gpu = constant 30m
gpu_repair = constant 0s'
hostile no_repair 'gpus = 8
duration = constant 1h
checkpoint = 1s
checkpoint_time = 1h
[failures]
node = exponential mean=1h
node_repair = constant 0s
restart = constant 10d'
hostile slow_storage 'gpus = 4
duration = constant 10m
image = big:1TiB + 1MiB
weights = 1TiB
input = 1TB/s
checkpoint = 1s
checkpoint_size = 10TiB
[storage]
read = 0.001MB/s
write = 0.001MB/s
registry = 0.001MB/s
image_cache = 1MiB'
hostile never_up 'gpus = 8
duration = constant 0s
startup = constant 1000000s
[failures]
node = constant 1h
node_repair = constant 1h'
hostile pulled_away 'gpus = 8
duration = constant 1ns
image = a:60GiB
startup = constant 90s
[storage]
registry = 50MB/s
image_cache = 20GiB
[failures]
node = exponential mean=20m
node_repair = constant 1ns
[calendar]
a = down all at 30m for 1ns every 1h
b = drain a-0 at 0s for 1h
c = down a-0 at 0s for 30m
d = up all at 30m
e = remove a-1 at 2h
f = down a-1 at 90m for 2h notice 20m'
hostile nothing_left 'gpus = 1
duration = exponential mean=30m
[calendar]
a = remove all at 1h'
cat >gone.csv <<CSV
time,node,gpu,duration
0,a-0,,0
1800,a-0,,1800
1800,a-0,3,1800
1800,a-0,,60
3600,a-1,,999999
CSV
hostile logged "gpus = 8
duration = constant 30m
[failures]
log = gone.csv
retries = 1
[calendar]
a = down a-0 at 30m for 30m"
cat >now.csv <<CSV
gpus,remaining,places
8,1800,a-0:0-7
8,0,a-1:0-7
8,0.000000001,a-2:0-7
24,inf,
CSV
hostile from_list 'gpus = 8
duration = constant 30m
[failures]
node = constant 30m
node_repair = constant 1h
[calendar]
a = down a-0 at 1ns for 1h
[state]
from = now.csv'
sed 's/at 1ns/at 0s/' from_list.ini >down.ini
gsim run down.ini -o down.h5
expect_status 2
expect_err 'the job of row 1 cannot start at its places: they are down'
gsim run together.ini --replications 3 -j 2 -o replicas.h5
expect_status 0
finish
