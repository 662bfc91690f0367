#!/usr/bin/env bash
# Jobs feel the network: distance, trunks that are shared, sensitivity, and recorded placements. Every figure was computed by hand.
. "$(dirname "$0")/lib.sh"

# Rail-optimised, two nodes a unit, trunks 4:1. x keeps half of the first unit, so a lies on nodes 1 and 2 and b on 3 and 4, and they share the
# trunks of the second unit: 2 x 50 / 4 = 25 GB/s a rail. On the reference placement (one leaf) NVLink decides: 2 x 7/8 / 450 a byte, against
# 2 x 1/2 / (8 x 50) between nodes. Over a trunk alone 1 / (8 x 25): communication takes 9/7 of its time; sharing it, 18/7.
scenario() {
  cat <<INI
[scenario]
horizon = 10h
[nodes n]
type = dgx-h100
count = 6
[network]
kind = rail
leaf_nodes = 2
oversubscription = 4
tiers = 2
[workload x]
gpus = 8
duration = constant 9h
count = 1
[workload a]
gpus = 16
duration = constant 1h
count = 1
$1
[workload b]
gpus = 16
duration = constant 2h
count = 1
$1
INI
}

scenario 'comm = 50%' >shared.ini
gsim shared.ini -o shared.h5
expect_status 0
h5 shared.h5 <<'PY'
run, comp, comm = (jobs(files[0])[k + '_s'] for k in ('run', 'compute', 'communication'))
both = .5 + .5 * 18 / 7
alone = .5 + .5 * 9 / 7
a = 3600 * both
assert np.allclose(run, [32400, a, a + 3600 * alone], rtol=1e-9), run
assert np.allclose(comp, [32400, 1800, 3600], rtol=1e-9), comp
assert np.allclose(comp + comm, run, rtol=0, atol=2e-9)
PY

# What links carried: while both run, 25 GB/s up from the second unit on each of 8 rails.
gsim shared.ini -o links.h5 --set output.per_link=yes
expect_status 0
h5 links.h5 <<'PY'
l, s = files[0]['links'], files[0]['series/links']
level = l['level'][:]
assert set(level) >= {b'nic', b'leaf'} and len(level) == len(l['id'])
now = s['time_s'][:] == 3600
full = (s['load'][:] == 25e9) & now & (l['bytes_per_s'][:][s['link'][:]] == 25e9)
assert full.sum() == 16, full.sum()
assert (s['load'][:] <= l['bytes_per_s'][:][s['link'][:]]).all()
j = jobs(files[0])
assert np.allclose(j['comm_fraction'], j['communication_s'] / j['run_s'])
PY

# duty_cycle: alone, 9/16 of their time is communication, so each asks for 14.0625 of 25 GB/s and gets 12.5.
gsim shared.ini -o duty.h5 --set network.duty_cycle=yes
expect_status 0
h5 duty.h5 <<'PY'
run = jobs(files[0])['run_s']
both = .5 + .5 * 9 / 7 * 14.0625 / 12.5
a = 3600 * both
assert np.allclose(run, [32400, a, a + 3600 * (.5 + .5 * 9 / 7)], rtol=1e-9), run
PY

# A network that is not oversubscribed costs these jobs nothing, and without one distance is free.
gsim shared.ini -o free.h5 --set network.oversubscription=1
expect_status 0
h5 free.h5 <<'PY'
assert np.allclose(jobs(files[0])['run_s'], [32400, 3600, 7200], rtol=1e-9)
PY
gsim shared.ini -o none.h5 --set network.kind=none --set network.oversubscription= --set network.leaf_nodes= --set network.tiers=
expect_status 2

# Sensitivity by level: both jobs span units, and the pod is the widest level.
scenario 'sensitivity = su:1.1 cluster:1.5' >level.ini
gsim level.ini -o level.h5
expect_status 0
h5 level.h5 <<'PY'
j = jobs(files[0])
assert np.allclose(j['run_s'], [32400, 5400, 10800], rtol=1e-9), j['run_s']
assert np.allclose(j['communication_s'], [0, 1800, 3600], rtol=1e-9)
PY
scenario 'sensitivity = rack:1.1' >bad.ini
gsim bad.ini
expect_status 2
expect_err "'rack' is not a level of the network; there are node, "
scenario 'sensitivity = su:0.9' >bad.ini
gsim bad.ini
expect_status 2
expect_err 'is not between 1 and 1000'
scenario $'sensitivity = su:1.1\ncomm = 10%' >bad.ini
gsim bad.ini
expect_status 2
expect_err 'both comm and a sensitivity'

# A job that is given by its model: in its reference placement it takes what validate said; sharing trunks it computes as long, and
# communicates longer.
scenario 'model = llama-2-7b
work = 1000 steps
batch = 256
sequence = 4096
parallel = dp:16
zero = 3' | sed '/^gpus = 16/d; /^duration = constant [12]h/d' >model.ini
gsim model.ini -o model.h5
expect_status 0
gsim model.ini -o wide.h5 --set network.oversubscription=1
expect_status 0
h5 model.h5 wide.h5 <<'PY'
m, w = (jobs(f) for f in files)
assert np.allclose(m['compute_s'], w['compute_s'], rtol=1e-9)
assert np.allclose(w['run_s'][1], w['run_s'][2], rtol=1e-9)
assert (m['communication_s'][1:] > 2 * w['communication_s'][1:]).all()
PY

# A recorded placement: 16 GPUs on 4 nodes instead of 2, of whose work half is communication. On 4 nodes 2 x 3/4 / (4 x 50) a byte
# against NVLink's 2 x 7/8 / 450: 27/14 as long, so that 6 h were 6 / (1/2 + 27/28) h of work.
cat >trace.csv <<'CSV'
id,submit,duration,gpus,nodes
a,0,21600,16,4
b,0,21600,16,2
c,0,21600,1,1
CSV
{
  sed -n '1,/^tiers/p' shared.ini | sed '/^oversub/d'
  cat <<'INI'
[trace t]
format = gsim
file = trace.csv
normalise = placement
comm = 50%
INI
} >trace.ini
gsim trace.ini -o trace.h5
expect_status 0
h5 trace.h5 <<'PY'
assert np.allclose(jobs(files[0])['run_s'], [21600 / (.5 + 27 / 28), 21600, 21600], rtol=1e-6)
PY

# A DGX-1: GPUs 0 and 1 are joined by one NVLink, the best pairs by two; 0 to 3 are as good as four can be.
cat >dgx1.ini <<'INI'
[nodes n]
type = dgx-1
count = 2
[workload pair]
gpus = 2
duration = constant 1000s
count = 1
comm = 50%
[workload four]
from = 2000s
gpus = 4
duration = constant 1000s
count = 1
comm = 50%
INI
gsim dgx1.ini -o dgx1.h5
expect_status 0
h5 dgx1.h5 <<'PY'
assert np.allclose(jobs(files[0])['run_s'], [1500, 1000], rtol=1e-9), jobs(files[0])['run_s']
PY

finish
