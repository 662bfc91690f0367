#!/usr/bin/env bash
# Backfilling plans with instances: a gang of instances that waits is not delayed, and what it does not need is used meanwhile.
. "$(dirname "$0")/lib.sh"

# One GPU: a 3g and four 1g. first holds two 1g until 100; head wants all four: reserved for 100 .. 150. brief and fits end before that and start
# at once; long would end after it, and waits; other asks for another profile, and delays nobody.
job() { # NAME FROM GPUS PROFILE DURATION
  cat <<INI
[workload $1]
count = 1
from = ${2}s
gpus = $3
mig = $4
duration = constant ${5}s
estimate = exact
INI
}
for part in easy conservative; do
  {
    cat <<INI
[nodes a]
type = dgx-a100-80g
count = 1
gpus = 1
mig = 3g.40gb 1g.10gb:4
[policy]
backfill = $part
INI
    job first 0 2 1g.10gb 100
    job head 1 4 1g.10gb 50
    job brief 2 1 1g.10gb 50
    job long 3 1 1g.10gb 200
    job other 4 1 3g.40gb 500
    job fits 5 1 1g.10gb 90
    job later 6 1 3g.40gb 10
  } >$part.ini
  gsim $part.ini -o $part.h5
  expect_status 0
  h5 $part.h5 <<'PY'
j = jobs(files[0])
assert list(j['first_start_s']) == [0, 100, 2, 150, 4, 5, 504], j['first_start_s']
PY
done
sed 's/^backfill = easy/&\n[policy easy]\nscan = shortest/' easy.ini >shortest.ini
gsim shortest.ini -o shortest.h5
expect_status 0
h5 shortest.h5 <<'PY'
j = jobs(files[0])
assert list(j['first_start_s']) == [0, 100, 2, 150, 4, 5, 504], j['first_start_s']
PY

# Whole GPUs beside divided ones: instances that come back are no whole device. Two nodes' worth of one GPU each; the head asks for a whole GPU.
{
  cat <<INI
[nodes a]
type = dgx-a100-80g
count = 1
gpus = 2
mig = all-disabled / 7g.80gb
[policy]
backfill = easy
INI
  job slice 0 1 7g.80gb 50
  job whole 0 1 none 100 | sed /^mig/d
  job head 1 1 none 100 | sed /^mig/d
  job short 2 1 none 60 | sed /^mig/d
} >beside.ini
gsim beside.ini -o beside.h5
expect_status 0
h5 beside.h5 <<'PY'
j = jobs(files[0])
assert list(j['first_start_s']) == [0, 0, 100, 200], j['first_start_s']
PY

# With a partitioner: what no instance has yet is not planned, and comes all the same.
sed 's/^mig = 3g.40gb 1g.*/mig = all-enabled/; s/^backfill/partitioner = partition\n&/' conservative.ini >made.ini
for part in easy conservative; do
  gsim made.ini --set policy.backfill=$part -o made-$part.h5
  expect_status 0
  h5 made-$part.h5 <<'PY'
j = jobs(files[0])
assert np.isfinite(j["end_s"]).all(), j["first_start_s"]
PY
done
finish
