#!/usr/bin/env bash
# What a job says of MIG: memory that must fit into its instance, a trace's column, the wait for an instance that is being made; sharing = mig.
. "$(dirname "$0")/lib.sh"

# Memory on an instance: 1g.10gb has less than 12 GiB, 2g.20gb has it.
cat >memory.ini <<INI
[nodes a]
type = dgx-a100-80g
count = 1
gpus = 1
mig = 1g.10gb:2 2g.20gb
[workload small]
count = 1
mig = 1g.10gb
gpu_memory = 12GiB
duration = constant 10s
[workload large]
count = 1
mig = 2g.20gb
gpu_memory = 12GiB
duration = constant 10s
[workload plain]
count = 1
mig = 1g.10gb
gpu_memory = 9GiB
duration = constant 10s
INI
gsim memory.ini -o memory.h5
expect_status 0
h5 memory.h5 <<'PY'
j = jobs(files[0])
why = j['reason'][0].decode()
assert why.startswith('does not fit into its MIG instance: gpu_memory is 12288 MiB, a 1g.10gb has '), why
assert list(j['first_start_s'][1:]) == [0, 0], j['first_start_s']
PY

# A trace: generated, written, read back, run; a gang is an instance a task.
cat >w.ini <<INI
[workload w]
count = 20
arrivals = constant 60/h
gpus = choice 1:0.5 2:0.5
mig = 1g.10gb:0.5 3g.40gb:0.3 none:0.2
duration = constant 100s
INI
gsim trace generate w.ini -o w.csv
expect_status 0
expect 'the column is there' grep -q '^submit,.*,mig$' w.csv
expect 'and filled' grep -q ',3g.40gb$' w.csv
gsim trace convert w.csv -o again.csv
expect_status 0
expect 'converted as it was' cmp w.csv again.csv
cat >trace.ini <<INI
[nodes a]
type = dgx-a100-80g
count = 1
mig = all-balanced / all-3g.40gb / all-disabled
[trace t]
file = w.csv
INI
gsim trace.ini -o trace.h5
expect_status 0
h5 trace.h5 <<'PY'
j, a = jobs(files[0]), columns(files[0], 'allocations')
for i in range(20):
    rows = a['job'] == i
    sliced = j['mig_profile'][i] != b''
    assert ((a['mig_size'][rows] > 0) == sliced).all()
    assert rows.sum() == j['gpus_requested'][i] and (not sliced or len(set(a['task'][rows])) == rows.sum())
assert {x.decode() for x in j['mig_profile']} == {'', '1g.10gb', '3g.40gb'}, set(j['mig_profile'])
PY
# Nodes without a layout have no instances: turned away, not run on whole devices.
sed /^mig/d trace.ini >none.ini
gsim none.ini -o none.h5
expect_status 0
h5 none.h5 <<'PY'
j = jobs(files[0])
sliced = j['mig_profile'] != b''
assert sliced.any() and np.isfinite(j['first_start_s'][~sliced]).all()
assert all(b'a MIG profile that no device' in x for x in j['reason'][sliced]), j['reason'][sliced]
PY
printf 'submit,duration,gpus,task_gpus,mig\n0,10,2,2,1g.10gb\n' >bad.csv
gsim trace info bad.csv
expect_err "column 'mig': '1g.10gb' is one instance a task"

# sharing = mig: MIG mode without instances; a partitioner makes them, and the wait for it is start-up.
cat >made.ini <<INI
[nodes a]
type = dgx-a100-80g
count = 1
gpus = 1
sharing = mig
mig_create = 5s
[policy]
partitioner = partition
[workload w]
count = 3
mig = 2g.20gb
duration = constant 100s
INI
gsim made.ini -o made.h5
expect_status 0
h5 made.h5 <<'PY'
j = jobs(files[0])
assert list(j['first_start_s']) == [5, 5, 5], j['first_start_s']
assert list(j['wait_startup_s']) == [5, 5, 5], j['wait_startup_s']
PY
finish
