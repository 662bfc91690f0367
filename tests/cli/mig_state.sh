#!/usr/bin/env bash
# A warm start on a divided cluster: after T the same jobs start on the same instances, with fixed layouts and with a partitioner.
. "$(dirname "$0")/lib.sh"
[ -n "$(have_h5py && echo yes)" ] || skip_all "no h5py"

scenario() { # POLICY-LINES LAYOUT
  cat <<INI
[scenario]
seed = 5
horizon = 1d
[nodes a]
type = dgx-a100-80g
count = 2
gpus = 4
mig = $2
mig_create = 3s
[workload w]
arrivals = poisson 60/h
count = 900
mig = 1g.10gb:0.6 3g.40gb:0.4
duration = exponential mean=30m
estimate = exact
[policy]
$1
[output]
waits = no
INI
}

same() { # NAME POLICY LAYOUT
  scenario "$2" "$3" >"$1.ini"
  gsim "$1.ini" -o "$1.h5"
  expect_status 0
  gsim "$1.ini" --set "state.from=$1.h5@40000s" -o "$1-warm.h5"
  expect_status 0
  h5 "$1.h5" "$1-warm.h5" <<'PY'
def starts(f):
    a = columns(f, 'allocations')
    keys = ('start_s', 'job', 'task', 'node', 'gpu', 'mig_profile', 'mig_start', 'mig_size')
    rows = np.stack([a[k].astype(float) for k in keys], 1)
    rows = rows[rows[:, 0] >= 40000]
    return rows[np.lexsort(rows.T[::-1])]
a, b = starts(files[0]), starts(files[1])
assert len(a) > 100, len(a)
assert a.shape == b.shape and (np.abs(a - b) < 1e-6).all(), (a[:3], b[:3])
PY
}
same fixed 'backfill = easy' 'all-balanced / all-1g.10gb'
same made 'partitioner = partition' all-enabled
finish
