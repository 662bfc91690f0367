#!/usr/bin/env bash
# What goes wrong around a run: files that must not be lost, two runs for one file, input without end, absurd sizes. Each test
# stands for a kind of fault that once was there.
. "$(dirname "$0")/lib.sh"
mini

# A slip of -o does not cost a scenario or a trace: only results files are replaced.
cp mini.ini kept.ini
gsim run mini.ini -o mini.ini
expect_status 2
expect_err 'mini\.ini.*not replaced'
expect 'the scenario is still there' cmp mini.ini kept.ini
gsim run mini.ini -o ''
expect_status 2
expect_err 'empty name'

# The .part of a killed run is taken over.
printf 'rubbish of a killed run' >old.h5.part
gsim run mini.ini -o old.h5
expect_status 0
expect_file old.h5
expect_no_file old.h5.part

# A file that another run is writing is left alone; its results are whole.
if command -v flock >/dev/null; then
  : >busy.h5.part
  last='gsim run while another one writes'
  status=0
  flock busy.h5.part "$GSIM" run mini.ini -o busy.h5 >out 2>err </dev/null || status=$?
  expect_status 4
  expect_err 'busy\.h5\.part: another run is writing it'
  expect 'the other run keeps its file' test -e busy.h5.part
  rm -f busy.h5.part
fi

# A damaged results file is bad input, for run and for plot; the old results stay when a run of the same name fails.
gsim run mini.ini -o whole.h5
head -c 20000 whole.h5 >cut.h5
gsim run cut.h5 -o new.h5
expect_status 2
expect_err 'cut\.h5: cannot be read'
expect_no_file new.h5
gsim plot cut.h5 -o charts
expect_status 2
cp whole.h5 kept.h5
gsim run mini.ini -o whole.h5 --set nodes.small.gpus=65
expect_status 2
expect 'the old results are still there' cmp whole.h5 kept.h5

# Input without end, or wide beyond sense.
gsim trace info /dev/zero
expect_status 2
expect_err 'device'
seq -s , 1 200000 >wide.csv
gsim trace info wide.csv
expect_status 2
expect_err 'wide\.csv:1: 200000 columns'

# Times far in the future: a time series that would fill the memory is refused, before the run where that can be known, if its
# interval was asked for; the default gives way.
mini 10
sed 's/^arrivals.*/from = 5000w/' mini.ini >far.ini
gsim run far.ini -o far.h5 --set output.series=60s
expect_status 2
expect_err 'far\.ini: \[output\] series: .*rows'
expect_no_file far.h5
gsim run far.ini --no-file
expect_status 0
expect_err 'assumed: time series with a row every [0-9.]+ [a-z]+, since the run is too long for 60 s'
gsim run far.ini -o far.h5 --set output.series=1w
expect_status 0
gsim run mini.ini -o far.h5 --set scenario.warmup=15000w --set scenario.measure=15000w
expect_status 0

# Amounts that would not fit into what counts them.
for too_much in nodes.small.gpu_memory=1000000TiB nodes.small.memory=10000000TiB \
  workload.train.memory_per_gpu=10000000TiB queue.default.limit=1e308 queue.default.weight=1e308; do
  gsim validate mini.ini --set $too_much
  expect_status 2
  expect_err 'at most'
done
gsim validate mini.ini --set 'workload.train.arrivals=mmpp 1e-9/h 1e-9/h dwell=1ns,1ns'
expect_status 2
expect_err 'dwell'
gsim validate mini.ini --set scenario.include=other.ini
expect_status 2
expect_err 'include'

# What is only seen when jobs are drawn still names the place.
gsim run mini.ini --no-file --set 'workload.train.gpus=1e7'
expect_status 2
expect_err 'mini\.ini:7: \[workload train\] gpus'

# Trees of queues: a chain of thousands is refused at once, and so are more sections than anybody wrote.
{
  cat mini.ini
  for i in $(seq 1 3000); do printf '[queue q%d]\nparent = q%d\n' "$i" $((i + 1)); done
  printf '[queue q3001]\n'
} >deep.ini
gsim validate deep.ini
expect_status 2
expect_err 'deep\.ini:[0-9]+: \[queue q[0-9]+\] parent: is 65 levels down'
{ cat mini.ini && printf '[queue q%d]\n' $(seq 1 11000); } >many.ini
gsim validate many.ini
expect_status 2
expect_err 'many\.ini:[0-9]+: over 10000 sections'

# A command that simulates nothing ends at the first signal.
set -m
mkfifo pipe
last='gsim trace info of a pipe, then SIGTERM'
"$GSIM" trace info pipe >out 2>err </dev/null &
pid=$!
sleep 0.3
kill -TERM $pid
status=0
wait $pid || status=$?
expect_status 143

# A policy module that was copied only in part: said, not crashed in the loader. A long search path is searched to its end.
module=$("$GSIM" policy show fifo --verbose 2>&1 | grep -oE '/[^ ]*gsp_fifo\.so' | head -n 1)
if [ -n "$module" ]; then
  head -c 3000 "$module" >gsp_cut.so
  gsim policy show ./gsp_cut.so
  expect_status 2
  expect_err 'cut short'
fi
GSIM_POLICY_PATH=$(printf '/none/%.0s' $(seq 3000)) gsim policy show fifo
expect_status 0

# Times and memory into a place that is not there: said, with the reason.
gsim run mini.ini --no-file --perf none/perf.json
expect_status 4
expect_err 'none/perf\.json.*No such file'
finish
