#!/usr/bin/env bash
# A run: equal bytes for equal runs, the summary on standard output, everything about time on standard error.
. "$(dirname "$0")/lib.sh"
mini

gsim run mini.ini -o a.h5
expect_status 0
expect_file a.h5
expect_no_file a.h5.part
expect_out '^digest'
expect_out 'wait'
expect_err 'events'
expect_err 'results: a\.h5'
expect 'the summary fits on one screen' test "$(wc -l <out)" -le 25
cp out first
gsim run mini.ini -o b.h5
expect 'a second run prints the same' cmp first out
expect 'a second run writes the same bytes' cmp a.h5 b.h5

# The short form, and standard input.
gsim mini.ini -o c.h5
expect_status 0
expect 'the short form prints the same' cmp first out
last='gsim run - < mini.ini'
status=0
"$GSIM" run - -o d.h5 <mini.ini >out 2>err || status=$?
expect_status 0
expect_file d.h5

# Where nothing is said the file lies in results/, under the scenario's name.
gsim run mini.ini
expect_status 0
expect_file results/mini.h5

gsim run mini.ini -o e.h5 --seed 8
expect_status 0
expect 'another seed, another digest' test "$(grep '^digest' out)" != "$(grep '^digest' first)"
gsim run mini.ini -o f.h5 --set nodes.small.count=8
expect_status 0
expect 'more nodes, another digest' test "$(grep '^digest' out)" != "$(grep '^digest' first)"

gsim run mini.ini -o g.h5 --quiet
expect_status 0
expect '--quiet says nothing on standard error' test ! -s err

if have_h5py; then
  expect 'the file is complete' test "$(attribute a.h5 complete)" = 1
  expect 'the file says its schema' test "$(attribute a.h5 schema)" = gsim/1.0
fi

# Re-running from the results file alone.
mkdir elsewhere && cp a.h5 elsewhere/
(cd elsewhere && "$GSIM" run a.h5 -o again.h5 >../out 2>../err </dev/null)
status=$?
last='gsim run a.h5'
expect_status 0
expect 'a results file re-runs to the same digest' test "$(grep '^digest' out)" = "$(grep '^digest' first)"

# Two points of a sweep, side by side in one table.
mini 100 '[sweep]
policy.order = fifo | sjf'
gsim run mini.ini -o sweep.h5
expect_status 0
expect_out 'fifo.*sjf'
expect 'one results file a point' test "$(ls sweep.*.h5 2>/dev/null | wc -l)" = 2

# The number of workers changes nothing.
mini
gsim run mini.ini -o one.h5 --replications 3 -j 1
expect_status 0
cp out one
gsim run mini.ini -o two.h5 --replications 3 -j 2
expect_status 0
expect 'two workers print the same' cmp one out
expect 'two workers write the same bytes' cmp one.h5 two.h5
finish
