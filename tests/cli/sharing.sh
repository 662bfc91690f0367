#!/usr/bin/env bash
# Sharing of a GPU: times by hand of jobs that take turns, are limited, or use what others leave; memory that runs out; faults of neighbours.
. "$(dirname "$0")/lib.sh"

# scenario SHARING KEYS...: one GPU of 80 GiB, two jobs of 600 s on half of it each, that come together; KEYS end the file.
scenario() {
  cat <<INI
[nodes a]
gpu = H100-SXM5-80GB
gpus = 1
cpus = 64
memory = 512GiB
sharing = $1
$nodes_keys
[workload w]
count = 2
INI
  shift
  printf '%s\n' "$@"
}
nodes_keys=
half='share = constant 0.5'
work='duration = constant 600s'

# ends SECONDS... THEN: the jobs end then.
ends() {
  h5 r.h5 <<PY
j = jobs(files[0])
assert np.allclose(j['end_s'], [$1]), j['end_s']
${2-}
PY
}
run() {
  scenario "$@" >s.ini
  gsim s.ini -o r.h5
  expect_status 0
}

run none "$half" "$work"
ends '600, 600'

# Turns: each at half the speed, as long as both are there; what it takes longer is throttled time.
run time-slice:2 "$half" "$work"
ends '1200, 1200' "assert np.allclose(j['throttled_s'], [600, 600]), j['throttled_s']"
nodes_keys='switch_cost = 20%'
run time-slice:2 "$half" "$work"
ends '1500, 1500'
nodes_keys=
# A neighbour comes after 300 s: 300 s alone, then 300 s of work in 600 s; the other has 300 s left when it is alone again at 900 s.
scenario time-slice:2 "$half" "$work" >s.ini
sed -i 's/^count = 2/count = 1/' s.ini
printf '[workload later]\ncount = 1\nfrom = 300s\n%s\n%s\n' "$half" "$work" >>s.ini
gsim s.ini -o r.h5
expect_status 0
ends '900, 1200'

# MPS limits the SMs, whoever else is there; a job that would not have used more feels nothing.
run mps:2 "$half" "$work"
ends '1200, 1200'
run mps "$half" "$work" 'gpu_utilization = 50%'
ends '600, 600'
run mps 'share = constant 0.25' "$work"
ends '2400, 2400'
# HAMi: a hard limit of a quarter, or what is left over besides, by halves.
run hami 'share = constant 0.25' "$work"
ends '2400, 2400'
run hami:soft 'share = constant 0.25' "$work"
ends '1200, 1200'

# Lucid's bins: 130 % busy in sum is 0.869 of the speed alone.
run mps "$half" 'duration = constant 869s' 'gpu_utilization = 65%' '[scenario]' 'interference = none'
ends '869 * 0.65 / 0.5, 869 * 0.65 / 0.5'
run time-slice:2 "$half" 'duration = constant 869s' 'gpu_utilization = 65%' '[scenario]' 'interference = lucid'
h5 r.h5 <<'PY'
assert np.allclose(jobs(files[0])['end_s'], [1000, 1000], rtol=1e-4), jobs(files[0])['end_s']
PY

# Memory: 50 of 80 GiB each, taken after a minute; no isolation, so the one that takes it last fails. The other did 30 s of work till then.
run time-slice:2 "$half" "$work" 'gpu_memory_used = constant 50GiB' '[failures]' 'retries = 0'
ends '630, 60' "assert j['reason'][1].startswith(b'oom'), j['reason']"
# With limits of 40 GiB both fail for themselves, and would again.
run mps:2 "$half" "$work" 'gpu_memory_used = constant 50GiB'
ends '60, 60' "assert all(x.startswith(b'oom') for x in j['reason']), j['reason']"
run mps:2 "$half" "$work" 'gpu_memory_used = constant 40GiB'
ends '1200, 1200'

# A fault ends all that share its domain: under MPS, not under HAMi.
faulty() {
  scenario "$1" "$half" "$work" >s.ini
  sed -i 's/^count = 2/count = 1/' s.ini
  printf '[workload bad]\ncount = 1\n%s\nduration = constant 100s\nfailures = 1 constant 1\n' "$half" >>s.ini
  printf '[failures]\nretries = 0\n' >>s.ini
  gsim s.ini -o r.h5
  expect_status 0
}
faulty mps:2
ends '200, 200' "assert b'neighbour' in j['reason'][0], j['reason']"
faulty hami
ends '1200, 200'

# Measured pairs: ResNet-18 with batches of 256 and 16 on a V100, of which the first is slower; and a pair that does not fit.
pair() {
  cat <<INI
[scenario]
interference = pairs
[nodes a]
gpu = V100-SXM2-16GB
gpus = 1
cpus = 64
memory = 512GiB
sharing = time-slice:2
[failures]
retries = 0
[workload one]
count = 1
$half
duration = constant 1000s
program = $1
[workload two]
count = 1
$half
duration = constant 1000s
program = $2
INI
}
pair 'ResNet-18 (batch size 16)' 'ResNet-18 (batch size 256)' >s.ini
gsim s.ini -o r.h5
expect_status 0
h5 r.h5 <<'PY'
j = jobs(files[0]) # 1000 s of the first beside the other at 0.7559 of its speed; then the other is alone
first, other = j['end_s']
assert other == 1000 and np.isclose(first, 1000 + (1000 - 755.9), rtol=1e-4), j['end_s']
assert files[0].attrs['interference'] in (b'pairs', 'pairs'), files[0].attrs['interference']
PY
misfit=$("$GSIM" catalog pairs --csv | awk -F, '$1 == "v100" && $4 == 0 && $5 == 0 { print $2 "|" $3; exit }')
pair "${misfit%|*}" "${misfit#*|}" >s.ini
gsim s.ini -o r.h5
expect_status 0
ends '1000, 60' "assert j['reason'][1].startswith(b'oom'), j['reason']"
pair 'ResNet-18 (batch size 16)' 'no such program' >s.ini
gsim s.ini
expect_status 2
expect_err 'was not measured on V100'

# What is not a mode, or not a replica.
scenario mps:49 "$half" "$work" >s.ini
gsim s.ini
expect_status 2
expect_err 'replicas is 1 to 48'
scenario time-slice "$half" "$work" >s.ini
gsim s.ini
expect_status 2
expect_err 'not none, time-slice:N'
scenario time-slice:4 'share = constant 0.3' "$work" >s.ini
gsim s.ini
expect_status 2
expect_err 'multiples of 250'

finish
