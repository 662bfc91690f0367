#!/usr/bin/env bash
# gsim compare: equal runs show no difference; figures and intervals are those that numpy computes from the files; a worse policy is called worse;
# what differs besides the policy, seeds without a partner and order artefacts are said.
. "$(dirname "$0")/lib.sh"

mini 150 '[output]
group = queue, kind, size'
gsim run mini.ini --replications 5 -o a.h5
gsim run mini.ini --replications 5 --set policy.order=ljf -o b.h5
gsim run mini.ini --replications 3 -o three.h5
gsim run mini.ini --replications 5 --seed 77 -o other.h5
gsim run mini.ini -o one.h5
gsim run mini.ini --set nodes.small.count=3 -o larger.h5
gsim run mini.ini --set policy.order=ljf -o one-ljf.h5

cp a.h5 same.h5
gsim compare a.h5 same.h5 --fail-on-difference
expect_status 0
expect_out '^jobs\.wait\.mean .* = +1\.000'
expect_out 'digests are equal'
expect_out '0 waited less, 0 waited longer'
expect_no_out 'better|worse'
cp out first
gsim compare a.h5 same.h5
expect 'equal runs print equal bytes' cmp out first

gsim compare a.h5 b.h5
expect_status 0
expect_out '^jobs\.wait\.p99 .*worse'
expect_out '^queue  '
expect_out '^moved most: job '
gsim compare a.h5 b.h5 --fail-on-difference
expect_status 1
gsim compare a.h5 b.h5 --alpha 0.000001
expect_out '^jobs\.wait\.p99 .* ~ '
gsim compare a.h5 b.h5 same.h5 --metric jobs.wait --by queue
expect_status 0
expect_out '^jobs\.wait\.max '
expect_out '^jobs\.wait\.mean\{queue=[a-z]+\} .* [01]\.[0-9]{3} .* 5 '
expect_no_out '^jobs\.jct'

# Groups have an adjustment of p of their own: to ask for them changes nothing about the whole.
gsim compare a.h5 b.h5 --metric jobs.wait
expect_out "Holm's, over 5 figures;"
grep '^jobs.wait.mean ' out | tr -s ' ' >alone
gsim compare a.h5 b.h5 --metric jobs.wait --by queue,kind
expect_out "Holm's, over 5 figures, over [0-9]+ by queue, over [0-9]+ by kind;"
expect 'the same p with groups as without' test "$(grep '^jobs.wait.mean ' out | tr -s ' ')" = "$(cat alone)"

# What does not fit together is said.
gsim compare a.h5 three.h5
expect_out 'paired by seed: 3; left out, .* 2 of a, 0 of three'
gsim compare a.h5 other.h5
expect_out 'no seed in common'
expect_out ' 5\+5 '
gsim compare one.h5 larger.h5
expect_out 'differ beyond the policy: \[nodes small\]'
expect_out 'n = 1'
expect_no_out ' 0\.[0-9]{3} '
gsim run mini.ini --seed 5 -o seed5.h5
gsim compare one.h5 seed5.h5
expect_out 'the seeds differ'
expect_no_out 'better|worse'
expect_out '^jobs are not paired: '
gsim compare a.h5 nothing.h5
expect_status 2
expect_err 'nothing.h5'
gsim compare a.h5 mini.ini
expect_status 2
gsim compare a.h5
expect_status 2
gsim compare a.h5 b.h5 --metric jobs.wait.meen
expect_status 2
expect_err "did you mean 'jobs\.wait\.mean"
gsim compare a.h5 b.h5 --by colour
expect_status 2
gsim compare a.h5,a.h5 b.h5
expect_status 2
expect_err 'takes a run once'

# The same figures from the files alone.
gsim compare a.h5 b.h5 --by queue,kind,size --json
expect_status 0
cp out ab.json
gsim compare a.h5 other.h5 --json
cp out ao.json
if have_h5py; then
  # Order artefacts: runs that differ in nothing but the tie seed, with a mean wait that is made up here, so that its spread is known.
  cat >ties.py <<'PY'
import shutil
import h5py

for k, wait in enumerate((100.0, 104.0, 108.0, 103.0, 107.0, 111.0, 150.0)):
    shutil.copy("one.h5", "t%d.h5" % k)
    with h5py.File("t%d.h5" % k, "r+") as f:
        f.attrs["tie_seed"] = k
        f["summary/value"][[n.decode() for n in f["summary/name"][:]].index("jobs.wait.mean")] = wait
PY
  /usr/bin/python3 ties.py
  gsim compare t0.h5,t1.h5,t2.h5 t3.h5,t4.h5,t5.h5 --metric jobs.wait.mean
  expect_status 0
  expect_out '^jobs\.wait\.mean +104 s +107 s +~ \(order\)'
  expect_out 'order artefacts: 1 '
  gsim compare t0.h5,t1.h5,t2.h5 t6.h5 --metric jobs.wait.mean
  expect_out '^jobs\.wait\.mean +104 s +2\.5 min +\+44\.23 % .*worse'

  cat >check.py <<'PY'
import json, math, sys
import h5py
import numpy as np

wrong = []
T4 = 2.7764451051977987  # t-quantile of 0.975, 4 degrees of freedom

def near(what, a, b):
    if not math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12):
        wrong.append("%s: %r, expected %r" % (what, a, b))

def rows(path):
    return {r["metric"]: r for r in json.load(open(path))["comparisons"][0]["metrics"]}

a, b, o = (h5py.File(f + ".h5")["replications"] for f in ("a", "b", "other"))
for m in ("jobs.wait.mean", "jobs.jct.p95", "gpu.allocation", "makespan"):
    r, x, y = rows("ab.json")[m], a[m][:], b[m][:]
    d = y - x
    near(m + " a", r["a"], x.mean())
    near(m + " difference", r["difference"], d.mean())
    near(m + " half", r["difference_half"], T4 * d.std(ddof=1) / math.sqrt(5))
    near(m + " effect", r["effect"], d.mean() / d.std(ddof=1))
    r, y = rows("ao.json")[m], o[m][:]
    near(m + " Welch", r["difference"], y.mean() - x.mean())
    near(m + " pooled d", r["effect"], (y.mean() - x.mean()) / math.sqrt((x.var(ddof=1) + y.var(ddof=1)) / 2))
families = {}  # the figures of all jobs are one, those of each grouping another
for name, r in rows("ab.json").items():
    if r["p"] is not None:
        families.setdefault(name.partition("{")[2].partition("=")[0], []).append((r["p"], r["p_holm"]))
for by, ps in families.items():
    least = 0
    for k, (p, h) in enumerate(sorted(ps)):
        least = max(least, min(1, p * (len(ps) - k)))
        near("Holm %s %d" % (by, k), h, least)
with h5py.File("a.h5") as f, h5py.File("b.h5") as g:
    def by_size(h):
        r = h["replications_by"]
        rows = zip(r["by"][:], r["group"][:], r["name"][:], r["index"][:], r["value"][:])
        return {int(i): v for by, group, name, i, v in rows if (by, group, name) == (b"size", b"2", b"jobs.wait.mean")}
    x, y = by_size(f), by_size(g)
    d = np.array([y[k] - x[k] for k in range(5)])
    r = rows("ab.json")["jobs.wait.mean{size=2}"]
    near("group difference", r["difference"], d.mean())
    near("group half", r["difference_half"], T4 * d.std(ddof=1) / math.sqrt(5))
    j = f["jobs"]  # replication 0 from its jobs
    near("group of replication 0", x[0], j["wait_s"][:][j["gpus_requested"][:] == 2].mean())
jobs = json.load(open("ab.json"))["comparisons"][0]["jobs"]
ja, jb = (h5py.File(f + ".h5")["jobs"] for f in ("a", "b"))
d = jb["wait_s"][:] - ja["wait_s"][:]
near("gained", jobs["gained"], (d < 0).sum())
near("lost", jobs["lost"], (d > 0).sum())
near("moved most", jobs["moved_most"][0]["row"], np.abs(d).argmax())
near("share", jobs["moved_most"][0]["share_of_change"], np.abs(d).max() / np.abs(d).sum())
for g in jobs["groups"]:
    if g["by"] == "size" and g["group"] == "1":
        near("median", g["median_wait_change_s"], np.median(d[ja["gpus_requested"][:] == 1]))
print(*wrong, sep="\n")
sys.exit(bool(wrong))
PY
  last='figures of compare'
  status=0
  /usr/bin/python3 check.py >out 2>err || status=$?
  expect_status 0
  [ "$status" = 0 ] || cat out err
else
  echo 'note: no h5py: the figures are not recomputed'
fi

if command -v gnuplot >/dev/null; then
  gsim compare a.h5 b.h5 one-ljf.h5 --plot charts
  expect_status 0
  for chart in a-vs-b.compare-differences.svg a-vs-one-ljf.compare-differences.svg; do expect_file charts/$chart; done
  expect 'charts of both sides are named after them' test -e charts/a-vs-b-and-others.sweep-wait-ecdf.svg
  gsim compare a.h5 b.h5 --by queue --plot charts
  expect_file charts/a-vs-b.sweep-utilisation.svg
  expect 'which run is shown is said' grep -q 'replication 0 of each' charts/a-vs-b.sweep-utilisation.svg
  expect 'one queue repeats nothing' test "$(grep -c 'queue=' charts/a-vs-b.compare-differences.svg)" = 0
  expect 'what is left out is said' grep -qE '[0-9]+ of [0-9]+ figures' charts/a-vs-b.compare-differences.svg
  expect 'a chart of waits' grep -q svg charts/*wait-ecdf.svg
fi
finish
