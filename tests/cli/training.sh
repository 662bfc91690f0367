#!/usr/bin/env bash
# Training runs given by a model: their step, their memory, what is refused, and what the catalog shows of the models' errors.
. "$(dirname "$0")/lib.sh"

cluster() {
  cat <<INI
[nodes a]
type = dgx-h100
count = 16
INI
}

run_of() { # NAME, then lines of its workload
  cluster
  printf '[workload %s]\nmodel = Llama-3.1-8B\nwork = 100 steps\nbatch = 64\nsequence = 8192\ncount = 1\n' "$1"
  shift
  printf '%s\n' "$@"
}

# The run time is the steps' time, whatever else runs, and 16 GPUs are quicker than 8.
run_of eight 'gpus = 8' 'zero = 3' >eight.ini
run_of sixteen 'parallel = dp:16' 'zero = 3' >sixteen.ini
for f in eight sixteen; do
  gsim validate $f.ini
  expect_status 0
  expect_out 'training  .*Llama-3.1-8B on [0-9]+ H100-SXM5-80GB: 100 steps'
  expect_out 'memory +fits: weights 2 B x 8.03B'
  gsim run $f.ini -o $f.h5
  expect_status 0
done
h5 eight.h5 sixteen.h5 <<'PY'
a, b = jobs(files[0]), jobs(files[1])
x, y = (j['run_s'][0] for j in (a, b))
assert 1.9 < x / y < 2.01, (x, y)
assert 700 < x < 1100, x  # 8 H100 at 380 TFLOP/s: 3.4e16 a step
PY

# The same jobs with less work run so much shorter; a lower efficiency makes them longer.
run_of eight 'gpus = 8' 'zero = 3' 'efficiency = 0.25' >slow.ini
gsim run slow.ini -o slow.h5
expect_status 0
h5 eight.h5 slow.h5 <<'PY'
x, y = (jobs(f)['run_s'][0] for f in files)
assert y > 1.5 * x, (x, y)
PY

# What does not fit is rejected with the arithmetic, and counted.
run_of big 'gpus = 8' 'zero = 0' 'microbatch = 8' 'recompute = none' >big.ini
sed -i 's/Llama-3.1-8B/Llama-3.1-70B/' big.ini
gsim run big.ini -o big.h5
expect_status 0
expect_out 'rejected jobs +1'
expect_err 'does not fit into the memory of its GPUs: weights 2 B x 70.6B / 1 = 131.4 GiB'
expect_err '> 80 GiB'
gsim validate big.ini
expect_status 0
expect_out 'DOES NOT FIT'

# Slips.
refused() { # PATTERN, then lines
  local says=$1
  shift
  run_of slip "$@" >slip.ini
  gsim validate slip.ini
  expect_status 2
  expect_err "$says"
}
refused 'gpus: is 16, but parallel comes to tp x pp x cp x dp = 8' 'parallel = tp:8' 'gpus = 16'
refused "'xx:8' is no degree" 'parallel = xx:8'
refused 'does not go with model' 'gpus = 8' 'duration = constant 1h'
refused 'does not divide among dp:3' 'parallel = dp:3'
refused 'no fp4 rate of H100-SXM5-80GB' 'gpus = 8' 'precision = fp4'
refused 'no node has a GPU of the catalog that the jobs accept' 'gpus = 8' 'gpu = B200-SXM-180GB'
run_of slip 'gpus = 8' | sed 's/Llama-3.1-8B/Llama-3.1-9B/' >slip.ini
gsim validate slip.ini
expect_status 2
expect_err "not in the catalog of models, the nearest is 'Llama-3.1-8B'"
run_of slip 'gpus = 8' | sed 's/100 steps/100 miles/' >slip.ini
gsim validate slip.ini
expect_status 2
expect_err 'is no amount of work'
run_of slip 'gpus = 8' 'zero = 3' | sed '/^batch/d' >slip.ini
gsim validate slip.ini
expect_status 2
expect_err 'needs batch'
{
  cluster
  printf '[workload w]\nduration = constant 1h\ncount = 1\nbatch = 8\n'
} >slip.ini
gsim validate slip.ini
expect_status 2
expect_err 'no model is named'
gsim trace generate sixteen.ini -o out.csv
expect_status 2
expect_err 'depends on a cluster'

# The models beside what was measured.
gsim catalog collectives
expect_status 0
expect_out 'Interpolation of 134 inner points, each left out: median error 1\.[0-9]+ %, 8[5-9]\.[0-9] % of points within 10 %'
gsim catalog steps
expect_status 0
expect_out 'FLOP per token: 230 of the 231 runs'
expect_out 'Step time: 236 runs predicted, median residual [0-9]\.[0-9] %; 19 lack something'
gsim catalog steps --json
expect_status 0
/usr/bin/python3 -c 'import json, sys; assert len(json.load(sys.stdin)) == 255' <out ||
  fail 'catalog steps --json is not JSON of 255 runs'
finish
