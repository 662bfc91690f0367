#!/usr/bin/env bash
# Isolation of tenants: who stands on which GPU, by hand, under each level and each way of sharing; and a module that would put all on one.
. "$(dirname "$0")/lib.sh"
modules=$(dirname "$GSIM")/tests/modules

# jobs LEVEL: red, blue, red, blue come 10 s apart and take half a GPU each for 1000 s; a job of red's is of level none.
jobs() {
  local i=0 q
  for q in red blue red blue; do
    printf '[workload w%d]\ncount = 1\nfrom = %ds\nqueue = %s\n' $i $((10 * i)) $q
    printf '%s\nduration = constant 1000s\n' "${what:-share = constant 0.5}"
    [ $q = red ] || printf 'isolation = %s\n' "$1"
    i=$((i + 1))
  done
}
nodes() { # nodes GPUS SHARING
  printf '[nodes a]\ngpu = H100-SXM5-80GB\ngpus = %d\ncpus = 64\nmemory = 512GiB\nsharing = %s\n' "$1" "$2"
  printf '[queue red]\n[queue blue]\n'
}
stand() { # stand GPUS STARTS: where the four jobs stand, in order, and when each started
  expect_status 0
  h5 r.h5 <<PY
a = files[0]['allocations']
gpu = dict(zip(a['job'][:], a['gpu'][:]))
assert [gpu[i] for i in range(len(gpu))] == [$1], gpu
assert np.allclose(jobs(files[0])['first_start_s'], [$2]), jobs(files[0])['first_start_s']
PY
}

# Firstfit fills the tightest GPU: red with blue, twice. Where isolation forbids it, both ways round, each tenant has one to itself.
together='0, 0, 1, 1' apart='0, 1, 0, 1'
while read -r sharing level where; do
  { nodes 2 "$sharing"; jobs "$level"; } >s.ini
  gsim s.ini -o r.h5
  [ "$where" = apart ] && stand "$apart" '0, 10, 20, 30' || stand "$together" '0, 10, 20, 30'
done <<'TABLE'
none none together
none process together
none hardware apart
time-slice:2 none together
time-slice:2 process apart
time-slice:2 hardware apart
mps:2 none together
mps:2 process apart
mps:2 hardware apart
hami none together
hami process together
hami hardware apart
hami:soft process together
hami:soft hardware apart
TABLE

# Replicas by the device plugin's default: each GPU with fewest out, so the first two part though they might share; packed is the default here.
{ nodes 2 time-slice:4; jobs none; } | sed 's/^cpus/replicas = distributed\ncpus/' >s.ini
gsim s.ini -o r.h5
stand '0, 1, 0, 1' '0, 10, 20, 30'
{ nodes 2 time-slice:4; jobs none; } >s.ini
gsim s.ini -o r.h5
stand '0, 0, 1, 1' '0, 10, 20, 30'

# On one GPU each tenant waits till the other has gone (fifo: none passes the first that waits). Half of it is closed while blue is there, from
# 1000 to 2000 s and from 3000 to 4000 s; red demands nothing. Runs end with a row of the series, a minute's multiple.
{ nodes 1 none; jobs hardware; } >s.ini
gsim s.ini -o r.h5
stand '0, 0, 0, 0' '0, 1000, 2000, 3000'
h5 r.h5 <<'PY'
assert abs(value(files[0], 'gpu.stranded_isolation') - 1000 / 4020) < 1e-9, value(files[0], 'gpu.stranded_isolation')
PY

# With backfilling red's second job comes to its first, and blue's two stand together after that: 20 s of 1000 s.
gsim s.ini -o r.h5 --set policy.backfill=greedy
stand '0, 0, 0, 0' '0, 1020, 20, 1020'

# The level of a queue, and of one above it, holds for their jobs.
{ nodes 2 time-slice:2; jobs none; } | sed 's/^\[queue blue\]/[queue org]\nisolation = process\n[queue blue]\nparent = org/' >s.ini
gsim s.ini -o r.h5
stand "$apart" '0, 10, 20, 30'

# Whole GPUs have no neighbours.
what='gpus = constant 1'
{ nodes 4 time-slice:2; jobs hardware; } >s.ini
gsim s.ini -o r.h5
stand '0, 1, 2, 3' '0, 10, 20, 30'
# Instances separate as hardware does: two tenants on one GPU.
what='mig = 3g.40gb'
{ nodes 1 none; jobs hardware; } | sed 's/^sharing = none/mig = 3g.40gb:2/' >s.ini
gsim s.ini -o r.h5
stand '0, 0, 0, 0' '0, 10, 1000, 1010'
what=

# A module that starts all jobs on the first GPU is refused by the ledger, with the reason told, and comes no further than the rule allows.
if [ -e "$modules/gsp_crowd.so" ]; then
  for level in process hardware; do
    { nodes 2 mps:2; jobs $level; } >s.ini
    gsim s.ini -o r.h5 --set scenario.interference=none --set policy.scheduler=crowd --policy-path "$modules"
    expect_status 0
    h5 r.h5 <<'PY'
a, j = files[0]['allocations'], jobs(files[0])
assert (a['gpu'][:] == 0).all()
red, blue = [0, 2], [1, 3]
assert j['first_start_s'][blue].min() >= j['end_s'][red].max(), (j['first_start_s'], j['end_s'])
PY
  done
fi

# What is not a level has its line.
{ nodes 1 none; jobs hard; } >s.ini
gsim s.ini -o r.h5
expect_status 2
expect_err "isolation.*'hard'"

# A job on a time-sliced node may not ask for more memory than one GPU has, though its replicas together may.
{ nodes 1 time-slice:4; printf '[workload w]\ncount = 1\nshare = constant 0.5\ngpu_memory = 81GiB\nduration = constant 10s\n'; } >s.ini
gsim s.ini -o r.h5
expect_status 0
h5 r.h5 <<'PY'
assert jobs(files[0])['state'][0] == 5 or jobs(files[0])['reason'][0].startswith(b'larger'), jobs(files[0])['reason']
PY
finish
