#!/usr/bin/env bash
# `gsim trace fit`: a section that gsim reads again, the table beside it, the verdicts in both, an example that runs, the same bytes
# each time, and what is refused.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cat >known.ini <<'INI'
[scenario]
horizon = 10d
[workload known]
arrivals = poisson 6/h daily=0:0.5,8:1.5
gpus = choice 1:0.8 8:0.2
duration = lognormal median=10m sigma=1
users = 10
INI
gsim trace generate known.ini -o known.csv
expect_status 0
gsim trace fit known.csv --name again -o again.ini
expect_status 0
expect_out '^run_s distance .* 0.05: whole met'
expect_out '^gpus 8 percent'
expect_out '^jobs .* 0.1: train (met|MISSED), x [0-9.]+; whole x [0-9.]+$'
expect_out '^GPU-hours .* 0.1: train '
expect_err 'warning: known.csv: the section is of the first .* times the GPU-hours of the trace .--train 1 fits everything'
cp out table
grep -q '^\[workload again\]' again.ini || fail 'no section'
gsim trace generate again.ini -o made.csv
expect_status 0
# without -o one scenario comes out, the table as comments
gsim trace fit known.csv --name again
expect_status 0
sed 's/^; //' out | head -n 20 | cmp -s - <(head -n 20 table) || fail 'another table'
cp out whole.ini
gsim trace generate whole.ini -o again.csv
expect_status 0
cmp -s made.csv again.csv || fail 'the two sections differ'
gsim trace fit known.csv --train 1 --json
expect_status 0
expect_out '"name": "GPU-hours", .*"ratio_train": [0-9.]+, "ratio_whole": [0-9.]+, "met_train": true'
expect_out '"name": "run_s distance", "train": 0\.0'

# the head says what was met, and the example in it is a scenario once it is none of comments
gsim trace fit known.csv --train 1 --check -o all.ini
expect_status 0
! grep -q 'of the first' err || fail 'a warning about a part, of the whole'
grep -q '^;   MET    GPU-hours: ' all.ini || fail 'no verdict in the head'
sed -n '/^; \[nodes/,$s/^; //p' all.ini >example.ini
cat all.ini example.ini >runs.ini
gsim validate runs.ini
expect_status 0
# run times that change with the last third of the jobs: no fit of the first meets its targets, which --check tells
{
  echo 'submit,duration,gpus'
  for ((i = 0; i < 400; i++)); do echo "$((i * i / 50)),$((i < 267 ? 100 : 9000)),1"; done
} >turn.csv
gsim trace fit turn.csv -o turn.ini
expect_status 0
expect_err 'warning: turn.csv: MISSED run_s distance'
grep -q '^;   MISSED run_s distance' turn.ini || fail 'no verdict in the head'
gsim trace fit turn.csv --check -o turn.ini
expect_status 1
# an odd trace is fitted or refused in words
{
  echo 'submit,duration,gpus,queue'
  for ((i = 0; i < 200; i++)); do echo "0,60,1,a"; done
} >instant.csv
gsim trace fit instant.csv
expect_status 2
expect_err 'instant.csv: all jobs to fit to are submitted at one instant'
awk -F, -v OFS=, 'NR > 1 { $1 = 60 * NR } { print }' instant.csv >alike.csv
gsim trace fit alike.csv --train 1 -o alike.ini
expect_status 0
grep -q '^queue = a$' alike.ini || fail 'a single tenant has lost its name'
for sample in "$source_dir"/traces/samples/*; do
  gsim trace fit "$sample" --train 1
  expect_status 2 # they hold fewer jobs than a fit needs, or none
  expect_err "gsim: .*${sample##*/}"
done

head -n 50 known.csv >few.csv
gsim trace fit few.csv
expect_status 2
expect_err 'few.csv: 32 jobs to fit to .of 49 that can be used; 0 have no end.*at least 100'
gsim trace fit known.csv --train 0
expect_status 2
gsim trace fit known.csv --name 'a]b'
expect_status 2
gsim trace fit
expect_status 2
finish
