#!/usr/bin/env bash
# The project's own gate: the frozen scenarios of scenarios/suite/ against their baselines. What it prints is what a reviewer reads.
# After a change that is meant: gsim check scenarios/suite --bless, and the reason in the commit.
. "$(dirname "$0")/lib.sh"
cd "$source_dir" || exit 1
"$GSIM" check scenarios/suite -j 2 >"$work/out" 2>"$work/err" || { cat "$work/out" "$work/err"; exit 1; }
cd "$work" || exit 1
last='gsim check scenarios/suite'
n=$(find "$source_dir/scenarios/suite" -maxdepth 1 -name '*.ini' | wc -l)
expect_out "^$n scenarios: $n ok, 0 not"

# Every bundled module takes part.
for module in "$source_dir"/policies/*.c; do
  name=$(basename "$module" .c)
  expect "no scenario of the suite uses $name" grep -qE "^(order|placement|backfill|preemption|scheduler|partitioner) = $name\$" "$source_dir"/scenarios/suite/*.ini
done
finish
