#!/usr/bin/env bash
# gsim catalog: the tables, words, CSV and JSON, a file of one's own here and in a scenario.
. "$(dirname "$0")/lib.sh"

gsim catalog
expect_status 0
for table in gpus servers mig models prices carbon links busbw fits failures mfu pairs; do
  expect_out "^$table "
  gsim catalog $table --json
  expect_status 0
  expect "$table as JSON" /usr/bin/python3 -m json.tool out
  gsim catalog $table --csv
  expect_status 0
  cp out $table.csv
  gsim catalog $table
  expect_status 0
  expect_out 'conf +mark'
  gsim catalog
done
expect_out '^mig +114 +[1-9]'
gsim catalog --json
expect 'the tables as JSON' /usr/bin/python3 -m json.tool out

# Words: all must be there, in any column, without regard to case.
gsim catalog prices h100 P5.48XLARGE us-east-2
expect_status 0
expect_out 'us-east-2/use2-az1 p5.48xlarge H100'
expect_no_out 'us-west'
gsim catalog mig A100-80GB
expect_out '^A100-80GB 3g.40gb .* 39.25 +42 +2 +0 4 '
expect_no_out 'A30'
gsim catalog mig B200-180GB 3g
expect_out 'UNVERIFIED'
gsim catalog mig no-such-gpu
expect_status 2
expect_err "no row of the table mig has 'no-such-gpu'"
gsim catalog price
expect_status 2
expect_err "did you mean 'prices'"
gsim catalog --csv
expect_status 2
expect_err 'writes one table'

# What --csv writes, --file reads, to the same rows.
gsim catalog mig --json
cp out before.json
gsim catalog mig --json --file mig.csv
expect_status 0
sed 's/"given": true/"given": false/' out >after.json
expect 'CSV and back' cmp before.json after.json
expect_out '"given": true'

# A file of one's own.
cat >mine.csv <<'CSV'
# ours
gpu,memory_gib,tdp_w
T4,15,65
my-gpu,24,150
server,gpu,gpus,cpus,memory_gib
my-box,my-gpu,2,32,128
CSV
gsim catalog gpus --file mine.csv
expect_status 0
expect_out '^T4 .* 65 .* given$'
expect_out '^my-gpu .* 24 .*[?] +given$'
gsim catalog --file mine.csv
expect_out '^gpus +36 +[0-9]+ +2 '
printf 'gpu,tdp_w\nT4,lots\n' >bad.csv
gsim catalog gpus --file bad.csv
expect_status 2
expect_err "bad.csv:2: column 'tdp_w': found 'lots'"
printf 'gpu,tpd_w\nT4,1\n' >bad.csv
gsim catalog gpus --file bad.csv
expect_status 2
expect_err 'gsim catalog gpus --csv shows them'
gsim catalog gpus --file nowhere.csv
expect_status 2
expect_err 'nowhere.csv'

# In a scenario: the server exists, the file is one of the inputs.
cat >own.ini <<'INI'
[scenario]
horizon = 2h
catalog = mine.csv
[nodes mine]
type = my-box
count = 2
[workload w]
arrivals = poisson 3/h
duration = 10m
gpus = 1
INI
gsim run own.ini -o own.h5
expect_status 0
expect_err 'read mine.csv as catalog: 3 rows'
expect 'it is one of the inputs, with its digest' /usr/bin/python3 - <<'PY'
import h5py

inputs = h5py.File("own.h5")["inputs"]
assert inputs["path"][0] == b"mine.csv" and inputs["format"][0] == b"catalog", list(inputs["path"])
assert len(inputs["xxh128"][0]) == 32 and inputs["rows"][0] == 3
PY
printf 'gpu,tdp_w\nT4,lots\n' >mine.csv
gsim run own.ini
expect_status 2
expect_err "own.ini:3: .*mine.csv:2: column 'tdp_w'"
finish
