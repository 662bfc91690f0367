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

finish
