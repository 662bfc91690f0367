#!/usr/bin/env bash
# Replications: one and two workers write the same bytes; /replications and the intervals of /summary are what the runs with those seeds
# give one by one, computed here from scratch.
. "$(dirname "$0")/lib.sh"
mini 120

gsim run mini.ini --replications 4 -j 1 -o one.h5
expect_status 0
gsim run mini.ini --replications 4 -j 2 -o two.h5
expect_status 0
expect 'the same bytes with one and with two workers' cmp one.h5 two.h5
gsim run mini.ini --replications 4 -j 4 -o four.h5
expect 'the same bytes with four workers' cmp one.h5 four.h5
gsim run mini.ini --replications 4 --seed 8 -o other.h5
expect_status 0
expect 'other seeds, other bytes' test ! "$(cmp -s one.h5 other.h5 && echo same)"
gsim run mini.ini --replications 0
expect_status 2

have_h5py || { echo 'note: no h5py: the figures are not recomputed'; finish; }
seeds=$(/usr/bin/python3 -c 'import h5py; print(*h5py.File("one.h5")["replications/seed"][:])')
n=0
for seed in $seeds; do
  n=$((n + 1))
  gsim run mini.ini --seed "$seed" -o "seed$n.h5"
  expect_status 0
done
cat >check.py <<'PY'
import math, sys
import h5py
import numpy as np

T95 = 3.182446305284263  # t-quantile of 0.975, 3 degrees of freedom
with h5py.File("one.h5") as f:
    rows = {name.decode(): i for i, name in enumerate(f["summary/name"][:])}
    low, high, value = (f["summary/" + c][:] for c in ("ci_low", "ci_high", "value"))
    wrong = []
    for metric in ("jobs.wait.mean", "jobs.jct.p95", "gpu.allocation", "makespan"):
        x = f["replications/" + metric][:]
        for k, v in enumerate(x):
            with h5py.File("seed%d.h5" % (k + 1)) as g:
                names = [s.decode() for s in g["summary/name"][:]]
                if g["summary/value"][names.index(metric)] != v:
                    wrong.append("%s of replication %d is not that of its seed" % (metric, k))
        half = T95 * np.std(x, ddof=1) / math.sqrt(len(x))
        got = (value[rows[metric]], low[rows[metric]], high[rows[metric]])
        if got[0] != x[0] or not np.allclose(got[1:], (x.mean() - half, x.mean() + half), rtol=1e-9):
            wrong.append("%s: %r, expected %r and %r +- %r" % (metric, got, x[0], x.mean(), half))
print(*wrong, sep="\n")
sys.exit(bool(wrong))
PY
last='figures of one.h5'
status=0
/usr/bin/python3 check.py >out 2>err || status=$?
expect_status 0
[ "$status" = 0 ] || cat out

# A sweep keeps its replications, whatever the number of workers.
mini 100 '[sweep]
policy.order = fifo | sjf'
for workers in 1 2; do
  gsim run mini.ini -o s$workers.h5 --replications 3 -j $workers
  expect_status 0
  expect_out '\+/-'
  cp out table$workers
done
expect 'one table for 1 and 2 workers' cmp table1 table2
expect 'the same files' cmp s1.order-fifo.h5 s2.order-fifo.h5
finish
