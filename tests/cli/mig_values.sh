#!/usr/bin/env bash
# What is free, fragmented and unreachable of devices in MIG mode, by hand: for each device and each profile asked for, 1 - placeable x size / free
# slices, a mean by the tasks that ask and by free slices.
. "$(dirname "$0")/lib.sh"

# expect_values NAME LAYOUT GPUS FREE FRAGMENTATION UNREACHABLE, workloads as COUNTxPROFILE; each runs for the 100 s of the window, or is turned away
values() {
  local name=$1 job
  {
    printf '[scenario]\nhorizon = 100s\n[nodes a]\ntype = dgx-a100-80g\ncount = 1\ngpus = %s\nmig = %s\n' "$3" "$2"
    for job in ${@:7}; do
      printf '[workload w%s]\ncount = %s\nmig = %s\nduration = constant 100s\n' "${job//[^0-9a-z]/}" "${job%%x*}" "${job#*x}"
    done
  } >"$name.ini"
  gsim "$name.ini" -o "$name.h5"
  expect_status 0
  EXPECTED="$4 $5 $6" h5 "$name.h5" <<'PY'
import os
got = [value(files[0], 'mig.' + k) for k in ('free_slices', 'fragmentation', 'unreachable_slices')]
assert np.allclose(got, [float(x) for x in os.environ['EXPECTED'].split()], atol=1e-4, equal_nan=True), got
PY
}

# No instance: eight slices, of which seven 1g could use seven; the job is turned away, since the layout is fixed, but its wish counts.
values empty all-enabled 1 8 0.125 0 1x1g.10gb
# The whole device held: nothing free, so no share of it is lost.
values full 7g.80gb 1 0 nan 0 1x7g.80gb
# One half held, one idle: the idle half is of use to halves only.
values halves 3g.40gb:2 1 4 0 0 1x3g.40gb
values mixed 3g.40gb:2 1 4 0.5 0 1x3g.40gb 1x1g.10gb
# The 4g held at 0, a 2g idle at 4, two slices free: of four free slices, none for a 4g, and one for a 1g: 1 and 3/4.
values four '4g.40gb 2g.20gb' 1 4 0.875 0 1x4g.40gb 1x1g.10gb
# Seven 1g held: the eighth slice has no legal start left.
values last 1g.10gb:7 1 1 1 1 7x1g.10gb
# Two devices: 1 of 1 slices lost on the first, 1 of 8 on the second: 2 of 9.
values two '1g.10gb:7 / all-enabled' 2 9 0.222222 1 7x1g.10gb
finish
