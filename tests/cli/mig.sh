#!/usr/bin/env bash
# MIG: layouts become instances, jobs get instances by profile, one a task; what cannot be had is refused with a message that says so.
. "$(dirname "$0")/lib.sh"

nodes() {
  cat <<INI
[nodes a]
type = dgx-a100-80g
count = 1
$1
INI
}

# GPU 0 is balanced, the other seven are seven 1g each. Only GPU 0 has a 3g and a 2g: the second job of each waits for the first.
{
  nodes 'mig = all-balanced / all-1g.10gb'
  cat <<INI
[policy]
backfill = greedy
[workload small]
count = 51
mig = 1g.10gb
duration = constant 100s
[workload half]
count = 2
mig = 3g.40gb
duration = constant 100s
[workload two]
count = 2
mig = 2g.20gb
duration = constant 100s
INI
} >mixed.ini
gsim mixed.ini -o mixed.h5
expect_status 0
h5 mixed.h5 <<'PY'
j, a = jobs(files[0]), columns(files[0], 'allocations')
profile = np.array([x.decode() for x in j['mig_profile']])
start = j['first_start_s']
assert (start[profile == '1g.10gb'] == 0).all()
assert sorted(start[profile == '3g.40gb']) == [0, 100], start[profile == '3g.40gb']
assert sorted(start[profile == '2g.20gb']) == [0, 100]
assert (j['share_milli'][profile == '3g.40gb'] == 428).all()
assert (a['mig_size'][a['share_milli'] == 428] == 4).all() and (a['mig_size'] > 0).all()
assert (a['gpu'][a['mig_size'] > 1] == 0).all()
held = set()
for t in (0, 50):
    now = (a['start_s'] <= t) & (a['end_s'] > t)
    for g, s, n in zip(a['gpu'][now], a['mig_start'][now], a['mig_size'][now]):
        for k in range(s, s + n):
            assert (t, g, k) not in held
            held.add((t, g, k))
# with no instance of the profile free, but slices that 1g jobs leave, it is fragmentation; here all are held: capacity
assert j['wait_capacity_s'].sum() + j['wait_fragmentation_s'].sum() == 200
PY

# A gang of three is three instances, each of its own task; CPUs are per task.
{
  nodes 'mig = all-3g.40gb'
  cat <<INI
[workload gang]
count = 1
gpus = 3
mig = 3g.40gb
cpus = 4
duration = constant 100s
INI
} >gang.ini
gsim gang.ini -o gang.h5
expect_status 0
h5 gang.h5 <<'PY'
a = columns(files[0], 'allocations')
assert len(a['task']) == 3 and sorted(a['task']) == [0, 1, 2] and (a['cpus_milli'] == 4000).all()
assert (a['memory_mib'] == 40192).all(), a['memory_mib']
PY

# single: a request for one GPU gets an instance; a task of two cannot span instances.
{
  nodes 'mig = all-1g.10gb
mig_strategy = single'
  cat <<INI
[workload plain]
count = 60
duration = constant 100s
[workload pair]
count = 1
gpus = 2
duration = constant 100s
INI
} >single.ini
gsim single.ini -o single.h5
expect_status 0
h5 single.h5 <<'PY'
j = jobs(files[0])
assert (j['first_start_s'][:60] == np.where(np.arange(60) < 56, 0, 100)).all()
assert j['reason'][60].decode().startswith('asks for a task of several MIG instances'), j['reason'][60]
PY

# none: instances exist and cannot be asked for; plain requests cannot have devices in MIG mode either, but the others.
{
  nodes 'mig = all-1g.10gb / all-disabled
mig_strategy = none'
  cat <<INI
[workload plain]
count = 8
duration = constant 100s
[workload slice]
count = 1
mig = 1g.10gb
duration = constant 100s
INI
} >none.ini
gsim none.ini -o none.h5
expect_status 0
h5 none.h5 <<'PY'
j = jobs(files[0])
assert (j['first_start_s'][:8] == [0, 0, 0, 0, 0, 0, 0, 100]).all(), j['first_start_s']
assert j['state'][8] == 6 or b'MIG' in j['reason'][8] or b'cluster' in j['reason'][8], j['reason'][8]
PY

# ---- refused, with words ----

one_job='[workload w]
count = 1
duration = constant 1s'
bad() { # layout lines, workload lines, expected message
  {
    nodes "$1"
    printf '%s\n%s\n' "$one_job" "$2"
  } >bad.ini
  gsim bad.ini -o bad.h5
  expect_status 2
  expect_err "$3"
}
bad 'mig = all-1g.11gb' '' "A100-80GB has no MIG profile '1g.11gb'.*did you mean '1g.10gb'"
bad 'mig = 1g.10gb:8' '' "'1g.10gb:8' does not go on one A100-80GB"
bad 'mig = 3g.40gb:0' '' 'not PROFILE:COUNT'
bad 'mig = all-1g.10gb' 'mig = 1g.11gb' "no MIG profile '1g.11gb' in the catalog"
bad 'mig = all-1g.10gb' 'mig = 1g.10gb:x' "is not a profile, or PROFILE:WEIGHT"
bad 'mig = all-balanced
mig_strategy = single' '' 'has not the same one profile'
bad 'gpu = V100-SXM2-16GB
mig = all-enabled' '' "no MIG geometry of 'V100-SXM2-16GB'"

# A profile of another device: known, but not to be had here.
{
  nodes 'mig = all-balanced'
  printf '%s\nmig = 1g.5gb\n' "$one_job"
} >other.ini
gsim other.ini -o other.h5
expect_status 0
h5 other.h5 <<'PY'
assert jobs(files[0])['reason'][0].decode() == 'asks for a MIG profile that no device of the cluster has'
PY

finish
