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
# open_at_end FILE: does gpu.allocated_gpu_s hold, if what is held when the run ends is held until then? The check closes it a
# second after the last time in the file.
open_at_end() {
  /usr/bin/python3 - "$1" <<'PY'
import sys, h5py, numpy as np
f = h5py.File(sys.argv[1])
a = f["allocations"]
end = np.where(np.isnan(a["end_s"][()]), f.attrs["end_s"], a["end_s"][()])
lo, hi = f.attrs["measure_from_s"], f.attrs["measure_to_s"]
held = np.clip(end, lo, hi) - np.clip(a["start_s"][()], lo, hi)
want = float(np.sum(a["share_milli"][()] / 1000 * held * (a["gpu"][()] >= 0)))
names = [n.decode() for n in f["summary/name"][()]]
got = float(f["summary/value"][names.index("gpu.allocated_gpu_s")])
print(f"held until end_s: file {got:.9g}, recomputed {want:.9g}")
sys.exit(not (np.isnan(a["end_s"][()]).any() and abs(got - want) <= 1e-6 * max(1, want)))
PY
}

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
    /usr/bin/python3 "$check" "$h5" >"$tmp/check" 2>&1 && continue
    if [ "$(grep '^FAIL' "$tmp/check" | cut -d: -f1)" != 'FAIL summary gpu.allocated_gpu_s' ] || ! open_at_end "$h5"; then
      echo "FAIL $scenario: $(basename "$h5")"
      grep -v '^ok' "$tmp/check"
      bad=1
    fi
  done
  [ $files -gt 0 ] || { echo "FAIL $scenario: no results file"; bad=1; }
  echo "ok   $scenario: $files results files${check:+, judged}"
done
exit $bad
