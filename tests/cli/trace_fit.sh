#!/usr/bin/env bash
# `gsim trace fit`: a section that gsim reads again, the table beside it, the same bytes each time, and what is refused.
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
expect_out '"name": "run_s distance", "train": 0\.0'

head -n 50 known.csv >few.csv
gsim trace fit few.csv
expect_status 2
expect_err 'few.csv: 32 jobs to fit to .of 49 .*at least 100'
gsim trace fit known.csv --train 0
expect_status 2
gsim trace fit known.csv --name 'a]b'
expect_status 2
gsim trace fit
expect_status 2
finish
