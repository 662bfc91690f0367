#!/usr/bin/env bash
# The invented traces of traces/samples: their script makes the same bytes again, each is taken for a format, and each row of each is
# accounted for.
. "$(dirname "$0")/lib.sh"

if command -v python3 >/dev/null; then
  mkdir made
  last='tests/make_samples.py'
  expectations=$((expectations + 1))
  python3 "$source_dir/tests/make_samples.py" made 2>err || fail 'the script failed'
  for made in made/*; do
    expectations=$((expectations + 1))
    cmp -s "$made" "$source_dir/traces/samples/${made#made/}" ||
      fail "${made#made/} is not what the script makes (run tests/make_samples.py)"
  done
else
  echo 'note: no python3: the samples are not made again'
fi

for sample in "$source_dir"/traces/samples/*; do
  gsim trace info --bad-rows=skip "$sample"
  expect_status 0
done
finish
