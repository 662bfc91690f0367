#!/usr/bin/env bash
# lint.sh BUILD [BASE] - clang-tidy and cppcheck on the C files changed since commit BASE. Without BASE: on all of them, from a
# place that moves with each commit, until SECONDS_LIMIT (default 100) have passed; ALL=1 takes the time it needs.
# BUILD must be configured with clang (build/clang-release): clang-tidy does not know gcc's warnings.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
build=${1:?usage: $0 BUILD [BASE]}
base=${2:-}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
tests/gates/files.sh '*.c' | grep -E '^(sim|policies|traces|analysis)/' >"$tmp/all"
total=$(wc -l <"$tmp/all")
[ "$total" -gt 0 ] || { echo 'no C files yet'; exit 0; }
if [ -n "$base" ] && git rev-parse -q --verify "$base^{commit}" >/dev/null; then
  git diff --name-only "$base" -- '*.c' | sort | comm -12 - "$tmp/all" >"$tmp/files"
  limit=${SECONDS_LIMIT:-240}
else
  start=$(($(git rev-list --count HEAD 2>/dev/null || echo 0) * 7 % total))
  { tail -n +$((start + 1)) "$tmp/all"; head -n "$start" "$tmp/all"; } >"$tmp/files"
  limit=${SECONDS_LIMIT:-100}
fi
[ -z "${ALL:-}" ] || limit=100000

# What one worker does with one file. cppcheck's uninitvar is wrong about arrays that a loop fills; the compilers and the
# analyzer of clang look for the same. autoVariables is wrong about a scan's own state, which lives as long as the scan. Files whose turn comes too late are left for another day.
cat >"$tmp/one" <<'SH'
[ "$(date +%s)" -lt "$3" ] || exit 0
out=$(clang-tidy --quiet -p "$2" "$4" 2>/dev/null)
tidy=$?
cpp=$(cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --max-configs=2 \
  --suppress=uninitvar --suppress=autoVariables --suppress=toomanyconfigs --suppress=missingIncludeSystem --suppress=unmatchedSuppression --error-exitcode=1 \
  -I. -Ipolicies/include -Ipolicies/lib "$4" 2>&1)
check=$?
echo "$4" >>"$1/done"
[ $tidy -eq 0 ] || printf '%s\n' "$out"
[ $check -eq 0 ] || printf '%s\n' "$cpp"
[ $tidy -eq 0 ] && [ $check -eq 0 ] || { echo "FAIL $4"; exit 1; }
SH
touch "$tmp/done"
bad=0
xargs -r -a "$tmp/files" -n 1 -P 2 sh "$tmp/one" "$tmp" "$build" $(($(date +%s) + limit)) || bad=1
echo "clang-tidy and cppcheck: $(wc -l <"$tmp/done") of $(wc -l <"$tmp/files") files${base:+ changed since $base} ($total in all)"
exit $bad
