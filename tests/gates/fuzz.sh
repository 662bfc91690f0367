#!/usr/bin/env bash
# fuzz.sh SECONDS [BUILD] - runs each libFuzzer target for so long, two at a time, from its committed corpus. A crash leaves its
# input in BUILD/crashes: repeat it with BUILD/tests/fuzz_NAME FILE, and put it into tests/fuzz/corpus/NAME.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
seconds=${1:?usage: $0 SECONDS [BUILD]}
build=${2:-build/fuzz}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$build/crashes"
cat >"$tmp/one" <<'SH'
target=$4
short=$(basename "$target"); short=${short#fuzz_}
mkdir -p "$1/$short" "$1/new_$short"
[ ! -d "tests/fuzz/corpus/$short" ] || cp -r "tests/fuzz/corpus/$short/." "$1/$short/"
[ "$short" != traces ] || cp traces/samples/* "$1/$short/"
dict=tests/fuzz/$short.dict
[ -f "$dict" ] && dict=-dict=$dict || dict=
# shellcheck disable=SC2086  # none or one option
if timeout $(($2 * 3 + 60)) "$target" "$1/new_$short" "$1/$short" $dict -max_total_time="$2" -timeout=10 -rss_limit_mb=2048 \
  -print_final_stats=1 -artifact_prefix="$3/crashes/$short-" >"$1/$short.log" 2>&1; then
  echo "ok   $short: $(sed -n 's/^stat::number_of_executed_units: *//p' "$1/$short.log") inputs in $2 s"
else
  tail -n 40 "$1/$short.log"
  echo "FAIL $short: repeat with $target FILE, where FILE is in $3/crashes"
  exit 1
fi
SH
find "$build/tests" -maxdepth 1 -type f -name 'fuzz_*' | sort | xargs -r -n 1 -P 2 sh "$tmp/one" "$tmp" "$seconds" "$build"
