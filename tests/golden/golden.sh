#!/usr/bin/env bash
# The digests of runs whose decisions nobody meant to change. A digest that moves needs a reason in the commit that moves
# it: look at the difference first, then tests/bless.sh writes digests.txt anew. It is written with one worker and compared with two.
set -u
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.." || exit 1
: "${GSIM:?the program to test}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
workers=$([ -n "${BLESS:-}" ] && echo 1 || echo 2)
for scenario in tests/golden/*.ini scenarios/quickstart.ini scenarios/shares-openb.ini scenarios/swf-backfill.ini; do
  "$GSIM" run "$scenario" -o "$tmp/out.h5" --color never -j "$workers" >"$tmp/out" 2>"$tmp/err" || {
    echo "FAIL $scenario: $(tail -n 3 "$tmp/err")" >&2
    exit 1
  }
  # The scenario in a results file is the whole scenario: run from there, it gives the same. (Of a sweep it is that of one point.)
  if ! grep -q '^\[sweep\]' "$scenario"; then
    "$GSIM" run "$tmp/out.h5" -o "$tmp/again.h5" --color never -j "$workers" >"$tmp/again" 2>"$tmp/err"
    cmp -s <(grep digest "$tmp/out") <(grep digest "$tmp/again") || {
      echo "FAIL $scenario: run from its results file it is another run: $(tail -n 3 "$tmp/err")" >&2
      exit 1
    }
  fi
  # One digest a line, in the order of the points.
  awk -v s="$scenario" '$1 == "digest" || $1 == "data_digest" { for (i = 2; i <= NF; i++) print s, $1, i - 1, $i }' "$tmp/out"
done >"$tmp/digests.txt"
if [ -n "${BLESS:-}" ]; then
  cp "$tmp/digests.txt" "$here/digests.txt"
fi
if diff "$here/digests.txt" "$tmp/digests.txt"; then
  echo "$(wc -l <"$here/digests.txt") digests as they were"
else
  echo 'FAIL other digests (< as committed, > now)'
  exit 1
fi
