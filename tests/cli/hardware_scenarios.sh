#!/usr/bin/env bash
# scenarios/hardware: each scenario says what it expects, and those that are one run are judged by that; sweeps run (tests/gates/scenarios.sh).
. "$(dirname "$0")/lib.sh"
cd "$source_dir" || exit 1
mapfile -t single < <(grep -L '^\[sweep\]' scenarios/hardware/*.ini)
n=${#single[@]}
expect 'there are scenarios' test "$n" -ge 10
"$GSIM" check "${single[@]}" -j 2 >"$work/out" 2>"$work/err" || { cat "$work/out" "$work/err"; exit 1; }
cd "$work" || exit 1
last='gsim check scenarios/hardware'
expect_out "^$n scenarios: $n ok, 0 not"

# Each opens with its question, and the table beside them names it.
for scenario in "$source_dir"/scenarios/hardware/*.ini; do
  name=$(basename "$scenario")
  expect "$name opens with its question" grep -q '^; Question: ' "$scenario"
  expect "README.md names $name" grep -qF "($name)" "$source_dir/scenarios/hardware/README.md"
done
finish
