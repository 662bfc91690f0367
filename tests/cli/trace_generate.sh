#!/usr/bin/env bash
# `gsim trace generate`: jobs and calls of a scenario as a trace, the same bytes each time, and what is refused.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cat >jobs.ini <<'INI'
[scenario]
seed = 4
horizon = 1d
[workload train]
arrivals = bursts 4/h size=(lognormal median=5 sigma=1) gap=(exponential mean=10s) timer=1h
gpus = choice 1:0.8 8:0.2
duration.0..4 = exponential mean=10m
duration.5.. = exponential mean=2h
users = 20
queues = zipf n=3 s=1
repeats = 0.2
failures = 10% uniform 0 0.3
kills = 5%
estimate = user bias=2 round=popular
[workload evaluate]
after = train lag=2m
duration = 1m
INI
gsim trace generate jobs.ini -o a.csv
expect_status 0
gsim trace generate jobs.ini
expect_status 0
cmp -s out a.csv || fail 'standard output differs from the file'
gsim trace generate jobs.ini --seed 5
expect_status 0
cmp -s out a.csv && fail 'another seed gives the same jobs'
gsim trace generate jobs.ini --set workload.train.gpus=4
expect_status 0
head -n 1 a.csv | grep -q ',after,think' || fail 'no pipelines'
grep -q '^.*,failed,' a.csv || fail 'no failed job'
grep -q '^.*,killed,' a.csv || fail 'no killed job'
# what was written is read back
gsim trace info a.csv
expect_status 0

cat >calls.ini <<'INI'
[scenario]
horizon = 1h
[service chat]
requests = poisson 60/h
prompt = lognormal median=200 sigma=1 clip=1..8000
output = 100
turns = choice 1:0.5 4:0.5
think = 30s
prefix = 500
block_tokens = 512
clients = 5
[agents coder]
arrivals = poisson 20/h
program = fan-out
width = 3
prompt = 3000
output = 150
answer = exponential mean=2s
INI
gsim trace generate calls.ini -o calls.csv
expect_status 0
head -n 1 calls.csv | grep -q '^arrival,input_tokens,output_tokens,session,parent,name,service' || fail 'another header'
gsim trace info calls.csv
expect_status 0

# calls are made, not run
printf '[nodes a]\ntype = dgx-h100\n' | cat calls.ini - >run.ini
gsim run run.ini
expect_status 2
expect_err 'run.ini:3: \[service chat\].*not yet supported.*gsim trace generate'
cat jobs.ini >both.ini
sed -n '/^\[service/,$p' calls.ini >>both.ini
gsim trace generate both.ini
expect_status 2
expect_err 'put them into two scenarios'
printf '[scenario]\nseed = 1\n' >none.ini
gsim trace generate none.ini
expect_status 2
expect_err 'nothing to'
gsim trace generate jobs.ini --set 'workload.train.failures=nine'
expect_status 2
expect_err 'failures'
gsim trace generate jobs.ini --set 'workload.train.duration.x=1m'
expect_status 2
expect_err 'are not sizes in GPUs'
gsim trace generate
expect_status 2
finish
