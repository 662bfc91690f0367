#!/usr/bin/env bash
# A replayed trace in a run: attempts and dependencies reach the results file, the load is brought to what is asked for, replications
# of a trace vary only what the file names, and a run that nothing can vary is made once.
. "$(dirname "$0")/lib.sh"

# trace DAYS: jobs of 12 users through so many days; some were tried again, some wait for another.
trace() {
  awk -v days="$1" 'BEGIN {
    print "submit,duration,gpus,name,user,state,attempts,after,think,urgency"
    srand(3)
    for (i = 0; i < 60 * days; i++) {
      t += 60 + int(rand() * 2760)
      d = 60 + int(rand() * 7000)
      state = i % 9 == 5 ? "killed" : i % 7 == 3 ? "failed" : "completed"
      attempts = i % 10 == 4 ? "20:failed+" (d - 20) ":" state : ""
      after = i % 11 == 6 ? "j" (i - 3) : ""
      printf "%d,%d,%d,j%d,u%d,%s,%s,%s,%s,%d\n", t, d, 2 ^ (i % 4), i, i % 12, state, attempts, after, after == "" ? "" : 30, i % 5
    }
  }' >trace.csv
}

# scenario KEYS [MORE [REPLICATIONS]]: the trace with these keys, in trace.ini.
scenario() {
  cat >trace.ini <<INI
[scenario]
seed = 5
replications = ${3:-1}
[nodes a]
gpu = H100-SXM5-80GB
gpus = 8
cpus = 64
memory = 512GiB
count = 3
[trace t]
file = trace.csv
$1
[policy]
placement = bestfit
${2:-}
INI
}

trace 20
scenario ''
gsim run trace.ini -o plain.h5
expect_status 0
expect_out 'killed jobs'
expect_out 'failed jobs'

# Attempts, ends and dependencies as the file shows them.
if have_h5py; then
  cat >check.py <<'PY'
import sys
import h5py
import numpy as np


def names(d):
    words = d.attrs["flag_meanings"]
    words = words.decode() if isinstance(words, bytes) else words
    return dict(zip((int(v) for v in d.attrs["flag_values"]), words.split()))


wrong = []
with h5py.File("plain.h5") as f:
    jobs = {k: f["jobs/" + k][()] for k in f["jobs"]}
    tries = {k: f["attempts/" + k][()] for k in f["attempts"]}
    state, trace, ended = (names(f[d]) for d in ("jobs/state", "jobs/trace_state", "attempts/outcome"))
    n = len(jobs["id"])
    for i in range(n):
        if state[int(jobs["state"][i])] != trace[int(jobs["trace_state"][i])]:
            wrong.append("job %d ends as %d" % (i, jobs["state"][i]))
    again = jobs["trace_attempts"] == 2
    if not again.any() or (jobs["restarts"][again] != 1).any() or (jobs["restarts"][~again] != 0).any():
        wrong.append("restarts")
    ran = np.zeros(n)
    np.add.at(ran, tries["job"], tries["end_s"] - tries["start_s"])
    if not np.allclose(ran, jobs["run_s"], rtol=0, atol=1e-6):
        wrong.append("attempts do not add up to the run time")
    first = tries["attempt"] == 1
    if any(ended[int(o)] != "failed" for o in tries["outcome"][first & again[tries["job"]]]):
        wrong.append("outcome of a first attempt")
    waits = jobs["after"] >= 0
    due = jobs["end_s"][jobs["after"][waits]] + jobs["think_s"][waits]
    if not waits.any() or (jobs["submit_s"][waits] < due - 1e-6).any():
        wrong.append("a job came before its predecessor's end")
    for column in ("gpu_model", "cpus_milli", "memory_mib", "estimate_s", "trace_start_s", "duration_source"):
        if column not in jobs:
            wrong.append("no column " + column)
print(*wrong, sep="\n")
sys.exit(bool(wrong))
PY
  last='columns of plain.h5'
  status=0
  /usr/bin/python3 check.py >out 2>err || status=$?
  expect_status 0
  [ "$status" = 0 ] || cat out
fi

# The load that is asked for is the load of the run.
for method in users thin compress size; do
  scenario "load = 60%
method = $method"
  gsim validate trace.ini
  expect_status 0
  expect_out 'shaped +trace.csv: [0-9]+ jobs of 1200'
  expect_out "^ +load .*asked for 60 %; $method: "
  gsim run trace.ini -o "$method.h5"
  expect_status 0
  expect_err "load [0-9.]+ % -> (59\.[4-9]|60|60\.[0-5])[0-9]* % "
done

# Nothing random: one run, n = 1, no interval, and it is said.
scenario '' '' 5
gsim run trace.ini -o once.h5
expect_status 0
expect_out 'replications +1 of 5: nothing is random'
expect_err 'replications = 5: one run was made'
expect_no_out '\+/-'
if have_h5py; then
  expect 'the number of runs is in the file' test "$(attribute once.h5 replications)" = 1
  expect 'and why' test -n "$(attribute once.h5 replications_note)"
fi
for key in 'estimate = exact' 'estimate = factor 2' 'load = 50%
method = size' 'feedback = session gap=2h' 'repeat = 2'; do
  scenario "$key" '' 3
  gsim run trace.ini -o once.h5
  expect_status 0
  expect_out '1 of 3: nothing is random'
done

# What the file names varies, and a module that draws.
for key in 'resample = days block=2d
load = 90%' 'jitter = 30m
load = 90%
method = size' 'load = 90%' 'estimate = factor uniform 1 3'; do
  scenario "$key" '' 3
  gsim run trace.ini -o many.h5
  expect_status 0
  expect_no_out 'nothing is random'
  [ "$key" = 'estimate = factor uniform 1 3' ] && continue # fifo does not look at them
  expect_out 'wait p95 .*\+/-.*pooled'
done
scenario '' '' 3
gsim run trace.ini --set policy.placement=random -o many.h5
expect_status 0
expect_no_out 'nothing is random'
expect_out '\+/-'

# The pooled percentile is over the samples of all replications.
if have_h5py; then
  scenario 'jitter = 30m
load = 90%
method = compress' '' 3
  gsim run trace.ini -o many.h5
  expect_status 0
  n=0
  for seed in $(/usr/bin/python3 -c 'import h5py; print(*h5py.File("many.h5")["replications/seed"][:])'); do
    n=$((n + 1))
    gsim run trace.ini --replications 1 --seed "$seed" -o "seed$n.h5"
    expect_status 0
  done
  cat >pooled.py <<'PY'
import sys
import h5py
import numpy as np

waits = []
for k in (1, 2, 3):
    with h5py.File("seed%d.h5" % k) as f:
        waits.append(f["jobs/wait_s"][:])
with h5py.File("many.h5") as f:
    names = [s.decode() for s in f["summary/name"][:]]
    got = f["summary/pooled"][:]
    p = [got[names.index("jobs.wait.p%d" % q)] for q in (50, 95, 99)]
    none = got[names.index("jobs.wait.mean")]
want = np.percentile(np.concatenate(waits), (50, 95, 99))
ok = np.allclose(p, want, rtol=1e-12, atol=1e-9) and np.isnan(none)
print(p, want)
sys.exit(not ok)
PY
  last='pooled percentiles of many.h5'
  status=0
  /usr/bin/python3 pooled.py >out 2>err || status=$?
  expect_status 0
  [ "$status" = 0 ] || cat out
fi

# What was done to a trace: a line a step.
scenario 'resample = days block=2d
jitter = 30m
load = 90%
feedback = session gap=2h'
gsim run trace.ini -o steps.h5
expect_status 0
for step in '20 days resampled' 'submissions moved' 'load [0-9]' 'feedback: [0-9]+ jobs wait'; do
  expect_err "^gsim:   $step"
done

# A percentage without its sign, and one that no cluster is loaded to.
scenario 'load = 80'
gsim validate trace.ini
expect_status 2
expect_err 'did you mean 80 %'
scenario 'load = 1001%'
gsim validate trace.ini
expect_status 2
expect_err 'at most 1000 %'
scenario 'load = 9.5'
gsim validate trace.ini
expect_status 0

# What was asked to be left out is not skipped.
scenario 'first = 500'
gsim run trace.ini -o first.h5
expect_status 0
expect_err '1200 rows, 0 skipped, 700 left out'
expect_err "left out, beyond the 'first' jobs asked for: 700"
expect_no_out 'trace rows skipped'

# Results of another scenario are replaced, but not in silence; the same scenario with a line more is the same.
scenario ''
gsim run trace.ini
expect_status 0
{ echo '; a comment'; cat trace.ini; } >moved.ini && mv moved.ini trace.ini
gsim run trace.ini
expect_status 0
grep -q 'replaces' err && fail 'a comment is taken for another scenario'
gsim run trace.ini --set scenario.name=other --seed 9
expect_status 0
expect_err 'replaces results/trace.h5 of another scenario; -o names another file'

# Errors of a trace keep the scenario's place, and tell a file of another format.
scenario 'format = helios' '' 3
gsim run trace.ini
expect_status 2
expect_err '^gsim: trace.ini:[0-9]+: \[trace t\]: trace.csv:1: .*looks like format = gsim'
sed 's/,u[0-9]*,/,,/' trace.csv >users.csv && mv users.csv trace.csv
scenario 'feedback = session'
gsim validate trace.ini
expect_status 2
expect_err 'trace.ini:[0-9]+: \[trace t\]: feedback: the trace names no users'
scenario 'feedback = session gap=2h by=queue'
gsim validate trace.ini
expect_status 0
expect_out "wait for their queue's job before"
scenario 'estimate = none' 'backfill = easy'
gsim run trace.ini
expect_status 2
expect_err 'trace.ini:[0-9]+: \[trace t\]: .*reads run-time estimates'

# A circle, a load without a trace to it, values that are not known.
cat >trace.csv <<'CSV'
submit,duration,gpus,name,after,think
0,10,1,a,,
5,10,1,b,a,5
CSV
scenario 'feedback = sessions'
gsim validate trace.ini
expect_status 2
expect_err "'sessions' is not one of open, session"
scenario 'method = thin'
gsim validate trace.ini
expect_status 2
expect_err 'no load says how much'
scenario 'load = 0%'
gsim validate trace.ini
expect_status 2
scenario 'token_rates = 8000/s'
gsim validate trace.ini
expect_status 2
expect_err 'write 8000/s 40/s'

# Columns by other names.
printf 'when,seconds,n\n0,10,1\n5,10,2\n' >trace.csv
scenario 'format = gsim
column.submit = when
column.duration = seconds
column.gpus = n'
gsim run trace.ini -o columns.h5
expect_status 0
expect_out 'jobs counted +2'

# A column that is not there, on either side, is said, also where a file may lack it; and so is one of another format.
for key in nope submit.x; do
  scenario "format = gsim
column.$key = when"
  gsim validate trace.ini
  expect_status 2
  expect_err "column.$key: gsim's CSV has no column '$key'"
done
scenario 'format = gsim
column.submit = when
column.duration = seconds
column.gpus = n
column.queue = team'
gsim validate trace.ini
expect_status 2
expect_err "no column 'team' in the header"
cp "$source_dir/traces/samples/philly.csv" trace.csv
scenario 'column.submit = when'
gsim validate trace.ini
expect_status 2
expect_err 'column.submit names a column of gsim.s own CSV, and this is philly'
finish
