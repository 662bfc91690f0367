#!/usr/bin/env bash
# scenarios/hardware: each scenario says what it expects, and each run of it is judged by that.
. "$(dirname "$0")/lib.sh"
cd "$source_dir" || exit 1
n=$(ls scenarios/hardware/*.ini | wc -l)
expect 'there are scenarios' test "$n" -ge 15
"$GSIM" check scenarios/hardware -j 2 >"$work/out" 2>"$work/err" || { cat "$work/out" "$work/err"; exit 1; }
cd "$work" || exit 1
last='gsim check scenarios/hardware'
expect_out 'scenarios: ([0-9]+) ok, 0 not'
expect 'each is judged' test "$(sed -n 's/^\([^ ]*\.ini\).*: ok, .*/\1/p' out | sort -u | wc -l)" -eq "$n"

# Each opens with its question, and the table beside them names it.
for scenario in "$source_dir"/scenarios/hardware/*.ini; do
  name=$(basename "$scenario")
  expect "$name opens with its question" grep -q '^; Question: ' "$scenario"
  expect "README.md names $name" grep -qF "($name)" "$source_dir/scenarios/hardware/README.md"
done
finish
