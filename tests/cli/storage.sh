#!/usr/bin/env bash
# Storage, registry and preprocessing: jobs come up as fast as links let them, wait for input as the arithmetic says, and their time
# is accounted for. Every figure below was computed by hand.
. "$(dirname "$0")/lib.sh"


# Two jobs of two nodes each, one after the other: the first pulls 10 GiB to each node over a registry of 2 GiB/s (10 s), then both nodes
# read 40 GiB of weights over storage of 8 GiB/s (10 s), then it comes up for 5 s; the second finds the image there.
{
  nodes
  cat <<INI
[storage]
registry = 2.147483648GB/s
read = 8.589934592GB/s
[workload w]
count = 2
gpus = 16
duration = constant 1000s
image = base:8GiB + 2GiB
weights = 40GiB
startup = constant 5s
[output]
series = 60s
INI
} >up.ini
gsim up.ini -o up.h5
expect_status 0
h5 up.h5 <<'PY'
j = jobs(files[0])
assert np.allclose(j['startup_s'], [25, 15]), j['startup_s']
assert np.allclose(j['compute_s'], 1000)
assert np.allclose(j['run_s'], [1025, 1015]), j['run_s']
assert np.allclose(j['end_s'], [1025, 2040])
PY

# Reading the data set begins behind the start-up, so the weights have the link to themselves: 5 s, then input at all of the link.
{
  nodes
  cat <<INI
[storage]
read = 8.589934592GB/s
[workload w]
count = 1
gpus = 8
duration = constant 100s
weights = 40GiB
input = 1.073741824GB/s
INI
} >feed.ini
gsim feed.ini -o feed.h5
expect_status 0
h5 feed.h5 <<'PY'
j = jobs(files[0])
assert np.allclose(j['startup_s'], 5) and np.allclose(j['run_s'], 105), (j['startup_s'], j['run_s'])
PY

# One node of the gang has the image already: it waits for the other.
{
  nodes
  cat <<INI
[storage]
registry = 1.073741824GB/s
[workload first]
count = 1
gpus = 8
duration = constant 100s
image = base:10GiB
[workload second]
count = 1
from = 200s
gpus = 16
duration = constant 100s
image = base:10GiB
INI
} >gang.ini
gsim gang.ini -o gang.h5
expect_status 0
h5 gang.h5 <<'PY'
j = jobs(files[0])
pull = 10 * 2**30 / (2**30)
assert np.allclose(j['startup_s'], [pull, pull / 2]), j['startup_s']
assert np.allclose(j['gang_wait_s'], [0, pull / 2]), j['gang_wait_s']
assert abs(value(files[0], 'gpu.time.gang_wait') - pull / 2 * 16 / ((100 + pull) * 8 + (100 + pull) * 16)) < 1e-9
PY

# Input: each GPU wants 1 GB/s, half of it cached: 8 GPUs want 4 GB/s of 3 GB/s, so a job alone takes 4/3 as long, and two take 8/3.
{
  nodes
  cat <<INI
[storage]
read = 3GB/s
[workload w]
count = 2
gpus = 8
duration = constant 300s
input = 1GB/s
input_cache = 50%
INI
} >input.ini
gsim input.ini -o input.h5
expect_status 0
h5 input.h5 <<'PY'
j = jobs(files[0])
assert np.allclose(j['run_s'], 800, atol=1e-6), j['run_s']
assert np.allclose(j['input_wait_s'], 500, atol=1e-6), j['input_wait_s']
assert abs(value(files[0], 'gpu.time.compute') - 300 / 800) < 1e-6
PY

# Preprocessing: 8 cores a GPU are needed, 4 are there.
{
  nodes
  cat <<INI
[workload w]
count = 1
gpus = 8
cpus_per_gpu = 4
duration = constant 100s
comm = 25%
preprocess = 8
INI
} >cpu.ini
gsim cpu.ini -o cpu.h5
expect_status 0
h5 cpu.h5 <<'PY'
j = jobs(files[0])
assert np.allclose([j['run_s'][0], j['compute_s'][0], j['communication_s'][0], j['input_wait_s'][0]], [200, 75, 25, 100])
PY

# What is needed and not said is refused, and named.
gsim up.ini --set storage.registry=1GB/s --set workload.w.image=8GiB+base
expect_status 2
expect_err "'base' is not a"
grep -v '^registry' up.ini >none.ini
gsim none.ini -o none.h5
expect_status 2
expect_err "'image' of the jobs of 'w' needs \[storage\] registry"
expect_no_file none.h5
sed 's/^cpus_per_gpu.*//' cpu.ini >none.ini
gsim none.ini -o none.h5
expect_status 2
expect_err "'preprocess' of the jobs of 'w' needs their CPUs"
sed 's/^image.*/image = base:8GiB + base:2GiB/' up.ini >none.ini
gsim none.ini -o none.h5
expect_status 2
expect_err "layer 'base' has 2048 MiB here and 8192 MiB in another"
finish
