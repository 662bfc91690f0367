#!/usr/bin/env bash
# Commands that print tables: catalog, policy list and show, trace info; each also as JSON.
. "$(dirname "$0")/lib.sh"

is_json() { /usr/bin/python3 -m json.tool out || jq . out; }

for table in gpus servers; do
  gsim catalog $table
  expect_status 0
  expect "$table has rows" test "$(wc -l <out)" -gt 5
  gsim catalog $table --json
  expect_status 0
  expect "$table as JSON" is_json
done
gsim catalog gpus
expect_out 'H100'
expect_out 'UNVERIFIED'

gsim policy list
expect_status 0
expect_out 'fifo'
expect_out 'easy'
gsim policy list --json
expect_status 0
expect 'policy list as JSON' is_json
gsim policy show easy
expect_status 0
expect_out 'backfill'

# Equal bytes for equal calls.
gsim catalog servers
cp out first
gsim catalog servers
expect 'the same table twice' cmp first out
finish
