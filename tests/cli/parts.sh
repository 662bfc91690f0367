#!/usr/bin/env bash
# Where allocated time goes: the parts of a job's run time sum to it, and what a scenario says of them is what the results show.
. "$(dirname "$0")/lib.sh"

cat >a.ini <<INI
[nodes a]
gpu = H100-SXM5-80GB
gpus = 8
cpus = 64
memory = 512GiB
[workload w]
count = 20
gpus = choice 1:0.5 8:0.5
duration = exponential mean=1h
comm = 25%
idle = 5%
INI
gsim a.ini -o a.h5
expect_status 0
expect_out '^GPU utilization '
expect_out '^  allocated time .*compute 70\.0 %, communication 25\.0 %, idle 5\.0 %'
grep -v -e '^comm' -e '^idle' a.ini >plain.ini
gsim plain.ini -o plain.h5
expect_status 0
expect_no_out '^GPU utilization '

# At the pace of the reference placement a job ends when it would have ended without an account.
gsim compare plain.h5 a.h5 --json
expect_out '"jobs.jct.mean"'
h5 a.h5 plain.h5 <<'PY'
parts = ['compute', 'communication', 'input_wait', 'checkpoint', 'startup', 'gang_wait', 'throttled', 'idle']
a, b = files
total = sum(a['jobs'][p + '_s'][:] for p in parts)
assert abs(total - a['jobs/run_s'][:]).max() < 1e-6
assert (a['jobs/end_s'][:] == b['jobs/end_s'][:]).all()
assert (b['jobs/compute_s'][:] == b['jobs/run_s'][:]).all()
assert abs(a['jobs/communication_s'][:] - a['jobs/run_s'][:] / 4).max() < 1e-6
PY

gsim a.ini -o b.h5 --set workload.w.comm=60% --set workload.w.idle=50%
expect_status 2
expect_err 'together are more than the run time'
finish
