#!/usr/bin/env bash
# Failures, spares and checkpoints: what a log says happens, what is lost and regained is what the arithmetic says, and the ledger stays right.
. "$(dirname "$0")/lib.sh"


# Node a-0 fails at 1,000 s for 500 s, and one GPU of a-1 at 100 s for 50 s.
cat >log.csv <<CSV
time,node,gpu,duration,cause
1000,a-0,,500,kernel panic
100,a-1,7,50,XID 79
CSV
{
  nodes
  cat <<INI
[failures]
log = log.csv
restart = constant 30s
[workload w]
count = 1
gpus = 8
duration = constant 1800s
checkpoint = 400s
checkpoint_time = 20s
[workload plain]
count = 1
gpus = 8
from = 10s
duration = constant 3000s
INI
} >log.ini
gsim log.ini -o log.h5
expect_status 0
# The first: 400 s of work, 20 s of writing, 400 s, 20 s (safe at 800 s of work, begun at 820 s), 160 s more, lost; a-1 is taken by the other, so
# it waits for the repair at 1,500 s; 30 s to come back, then 1,000 s of work with two checkpoints. The second loses 90 s of a job without checkpoints.
h5 log.h5 <<'PY'
j = jobs(files[0])
assert np.allclose(j['end_s'], [1500 + 30 + 1000 + 40, 150 + 30 + 3000]), j['end_s']
assert np.allclose(j['lost_gpu_s'], [160 * 8, 90 * 8]), j['lost_gpu_s']
assert np.allclose(j['checkpoint_s'], [80, 0]) and np.allclose(j['startup_s'], [30, 30])
assert np.allclose(j['run_s'][0], 1000 + 1070), j['run_s']
assert list(j['restarts']) == [1, 1] and list(j['preemptions']) == [0, 0]
o = files[0]['outages']
assert [c.decode() for c in o['cause'][:]] == ['XID 79', 'kernel panic'], o['cause'][:]
assert np.allclose(o['start_s'][:], [100, 1000]) and np.allclose(o['end_s'][:], [150, 1500])
l = files[0]['node_lives']
up = [(n, a, b) for n, a, b in zip(l['node'][:], l['up_s'][:], l['down_s'][:])]
assert (0, 0, 1000) in up, up
c = files[0]['stop_causes']
assert [(x.decode(), n) for x, n in zip(c['cause'][:], c['attempts'][:])] == [('XID 79', 1), ('kernel panic', 1)]
assert np.allclose(c['lost_gpu_s'][:], [90 * 8, 160 * 8])
assert list(j['failures']) == [1, 1] and value(files[0], 'jobs.failures') == 2
held = sum(j['gpu_s'])
kept = 8 * (1800 + 3000)
assert abs(value(files[0], 'gpu.goodput') - kept / held) < 1e-9
assert abs(value(files[0], 'gpu.between_failures') - held / 3600 / 2) < 1e-9
end = float(files[0].attrs['end_s'])
want = ((2 * end - 500) * 8 - 50) / (2 * end * 8)
assert abs(value(files[0], 'gpu.availability') - want) < 1e-9
PY

# Retries: the second failure ends the job.
printf 'time,node,duration\n100,a-0,10\n300,a-0,10\n' >twice.csv
{
  nodes a 1
  printf '[failures]\nlog = twice.csv\nretries = 1\n[workload w]\ncount = 1\ngpus = 8\nduration = constant 500s\n'
} >twice.ini
gsim twice.ini -o twice.h5
expect_status 0
expect_out '^failed jobs +1$'
h5 twice.h5 <<'PY'
j = jobs(files[0])
assert j['end_s'][0] == 300 and j['reason'][0] == b'failure in the log', (j['end_s'], j['reason'])
PY

# A spare takes the place of the node that fails, after its delay.
printf 'time,node,duration\n100,a-0,100000\n' >once.csv
{
  nodes a 2
  printf '[failures]\nlog = once.csv\nspares = 1\nspare_delay = 60s\n[workload w]\ncount = 1\ngpus = 8\nduration = constant 500s\n'
} >spare.ini
gsim spare.ini -o spare.h5
expect_status 0
h5 spare.h5 <<'PY'
assert np.allclose(jobs(files[0])['end_s'], 160 + 500)
PY

# The spare itself fails first: nobody is called, and the repaired node is a spare again.
printf 'time,node,duration\n50,a-2,100\n100,a-0,1000\n200,a-1,1000\n' >three.csv
gsim spare.ini --set failures.log=three.csv --set nodes.a.count=3 --set failures.spare_delay=0s -o spare2.h5
expect_status 0
h5 spare2.h5 <<'PY'
# a-0 fails at 100 while the spare a-2 is out: the job goes on at once on a-1, which fails at 200, when a-2 is ready: 0 s of delay.
assert np.allclose(jobs(files[0])['end_s'], 200 + 500)
a = files[0]['attempts']
assert list(a['node'][:]) == [0, 1, 2] and list(a['start_s'][:]) == [0, 100, 200], a['start_s'][:]
PY

# An optimum of the interval, the start-up left out of it: C = 20 s, one GPU hour between failures: sqrt(2 x 20 s x 3,600 s) = 379.473 s of work.
{
  nodes a 1
  cat <<INI
[failures]
job_gpu_time = 8h
log = none.csv
[workload w]
count = 1
gpus = 8
duration = constant 800s
startup = constant 500s
checkpoint = young
checkpoint_time = 20s
INI
} >young.ini
printf 'time,node,duration\n' >none.csv
gsim young.ini --set scenario.seed=5 -o young.h5
expect_status 0
h5 young.h5 <<'PY'
j = jobs(files[0])
assert list(j['failures']) == [0], 'another seed'
assert np.allclose(j['run_s'], 500 + 800 + 40) and np.allclose(j['checkpoint_s'], 40), j['run_s']
PY

# Published rates: as often as the table says, by its causes; what was recalled and not read is said.
{
  nodes a 128
  cat <<INI
[failures]
preset = llama3
[workload w]
count = 1
gpus = 1024
task_gpus = 8
duration = constant 300d
checkpoint = 10m
checkpoint_time = 1s
INI
} >preset.ini
gsim preset.ini -o preset.h5
expect_status 0
expect_err 'failures of llama3: [0-9]+ figures of the catalog are UNVERIFIED'
h5 preset.h5 <<'PY'
n = value(files[0], 'jobs.failures')
want = 300 * 24 * 1024 / 50700
assert abs(n - want) < 4 * want ** 0.5, (n, want)
assert abs(value(files[0], 'gpu.between_failures') - 50700) < 50700 * 4 / want ** 0.5
c = files[0]['stop_causes']
assert b'faulty GPU incl. NVLink' in c['cause'][:] and sum(c['attempts'][:]) == n
PY

# A rack fails with all its nodes, or each node by itself, for the same share of time.
{
  echo '[network]'
  echo 'levels = rack'
  nodes a 16 | sed 's/^\[nodes a\]/[nodes a]\nplace = rack:r1/'
  nodes a 16 | sed 's/^\[nodes a\]/[nodes b]\nplace = rack:r2/'
  printf '[failures]\ngroup = exponential mean=1d\ngroup_repair = constant 2h\n'
  printf '[workload w]\ncount = 2000\narrivals = poisson 8/h\ngpus = 8\nduration = constant 1h\n'
} >rack.ini
gsim rack.ini -o rack.h5
expect_status 0
gsim rack.ini --set failures.level=node -o each.h5
expect_status 0
h5 rack.h5 each.h5 <<'PY'
for f, together in zip(files, (16, 1)):
    start = f['outages']['start_s'][:]
    times, n = np.unique(start, return_counts=True)
    assert (n == together).all(), n
    assert abs(value(f, 'gpu.availability') - 24 / 26) < 0.06, value(f, 'gpu.availability')
PY

# Everything at once, with every invariant checked by the independent reader: jobs never lose or share a device.
{
  nodes a 8
  cat <<INI
[failures]
node = exponential mean=3d
node_repair = lognormal median=2h sigma=1
gpu = weibull scale=20d shape=0.7
gpu_repair = constant 1d
job_gpu_time = 40d
restart = uniform 1m 10m
spares = 1
[workload w]
arrivals = poisson 6/h
count = 300
gpus = choice 1:0.4 8:0.4 24:0.2
duration = exponential mean=3h
checkpoint = young
checkpoint_time = 40s
[workload p]
arrivals = poisson 1/h
count = 40
gpus = 8
priority = 5
duration = exponential mean=1h
[policy]
order = priority
preemption = priority
INI
} >all.ini
gsim all.ini -o all.h5
expect_status 0
gsim all.ini -o again.h5
gsim compare all.h5 again.h5 --fail-on-difference
expect_status 0
h5 all.h5 <<'PY'
f = files[0]
a = f['allocations']
o = f['outages']
names = ['node', 'gpu', 'drain', 'absent', 'reserve', 'link']
kind = [names[k] for k in o['kind'][:]]
end = np.where(np.isnan(o['end_s'][:]), np.inf, o['end_s'][:])
for k, n, g, s, e in zip(kind, o['node'][:], o['gpu'][:], o['start_s'][:], end):
    if k == 'drain':
        continue
    on = a['node'][:] == n
    if k == 'gpu':
        on &= a['gpu'][:] == g
    stop = np.where(np.isnan(a['end_s'][:]), np.inf, a['end_s'][:])
    assert not (on & (a['start_s'][:] < e - 1e-6) & (stop > s + 1e-6)).any(), (k, n, g, s, e)
j = jobs(f)
parts = ['compute', 'communication', 'input_wait', 'checkpoint', 'startup', 'gang_wait', 'throttled', 'idle']
assert abs(sum(j[p + '_s'] for p in parts) - j['run_s']).max() < 1e-6
PY

# A checkpoint of a model is 14 bytes a parameter: 8.03e9 of them over 14 GB/s, twice in 23 minutes.
cat >model.ini <<'INI'
[nodes a]
type = dgx-h100
count = 8
[storage]
write = 14GB/s
[workload w]
model = Llama-3.1-8B
work = 1000 steps
batch = 64
sequence = 8192
parallel = tp:8 dp:8
count = 1
checkpoint = 10m
INI
gsim model.ini -o model.h5
expect_status 0
h5 model.h5 <<'PY'
assert np.allclose(jobs(files[0])['checkpoint_s'], 2 * 8.03, rtol=0.001)
PY

# Slips.
gsim log.ini --set failures.log=twice.csv --set failures.preset=rsc-9 -o x.h5
expect_status 2
expect_err "'rsc-9' is not a preset"
sed 's/a-0/b-0/' log.csv >bad.csv
gsim log.ini --set failures.log=bad.csv -o x.h5
expect_status 2
expect_err "bad.csv:2: column 'node': found 'b-0', expected a node of this scenario"
sed 's/1000/soon/' log.csv >bad.csv
gsim log.ini --set failures.log=bad.csv -o x.h5
expect_err "bad.csv:2: column 'time': found 'soon', expected seconds"
gsim log.ini --set workload.w.checkpoint=young -o x.h5
expect_status 2
expect_err 'an optimum needs to know how often they fail'
gsim spare.ini --set failures.spares=2 -o x.h5
expect_status 2
expect_err 'spares: 2 of 2 nodes would leave none'
# All leaf switches are down every 1,000 s for 100 s: a job that communicates stands still, and its time is communication.
{
  nodes | sed 's/^gpu = .*/type = dgx-h100/; /^gpus/d; /^cpus/d; /^memory/d'
  cat <<INI
[network]
kind = rail
[failures]
switch = constant 1000s
switch_repair = constant 100s
[workload w]
count = 1
gpus = 16
duration = constant 1500s
comm = 20%
INI
} >switch.ini
gsim switch.ini -o switch.h5
expect_status 0
h5 switch.h5 <<'PY'
j = jobs(files[0])
assert np.allclose(j['run_s'], 1600), j['run_s']
assert np.allclose(j['communication_s'], 400), j['communication_s']
o = files[0]['outages']
assert len(o['link']) == 24 and len(set(o['link'][:])) == 24 and (o['node'][:] == -1).all(), o['link'][:]
level = files[0]['links/level'][:]
assert all(level[l] in (b'nic', b'leaf') for l in o['link'][:])
PY
sed '/^\[network/,/^kind/d' switch.ini >unwired.ini
gsim unwired.ini
expect_status 2
expect_err 'link and switch need a network with switches'

finish
