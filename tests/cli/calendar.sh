#!/usr/bin/env bash
# Planned changes: nodes come, leave, drain, go down and come back when the calendar says; jobs that run are stopped, finished or kept off as it says.
. "$(dirname "$0")/lib.sh"

work() { # work NAME COUNT DURATION [LINES]
  printf '[workload %s]\ncount = %s\ngpus = 8\nduration = constant %s\n%s\n' "$1" "$2" "$3" "${4:-}"
}

# Down for 100 s at 500 s: what runs is stopped, counted as a preemption, and begins anew.
{ nodes a 1; work w 1 800s; printf '[calendar]\npatch = down a-0 at 500s for 100s reason kernel patch\n'; } >down.ini
gsim down.ini -o down.h5
expect_status 0
h5 down.h5 <<'PY'
j = jobs(files[0])
assert j['end_s'][0] == 1400 and j['preemptions'][0] == 1 and j['lost_gpu_s'][0] == 4000, (j['end_s'], j['lost_gpu_s'])
o = files[0]['outages']
assert o['planned'][0] == 1 and o['cause'][0] == b'patch: kernel patch'
PY

# Drained: what runs goes on, nothing new starts.
{ nodes a 1; work w 3 400s; printf '[calendar]\nd = drain a at 500s for 1000s\n'; } >drain.ini
gsim drain.ini -o drain.h5
expect_status 0
h5 drain.h5 <<'PY'
assert list(jobs(files[0])['first_start_s']) == [0, 400, 1500], jobs(files[0])['first_start_s']
PY

# With notice: nothing starts in the 300 s before, so nothing is stopped.
{ nodes a 1; work w 2 400s; printf '[calendar]\nd = down a-0 at 700s for 50s notice 300s\n'; } >notice.ini
gsim notice.ini -o notice.h5
expect_status 0
h5 notice.h5 <<'PY'
j = jobs(files[0])
assert list(j['first_start_s']) == [0, 750] and j['preemptions'].sum() == 0, j['first_start_s']
PY

# Rolling: four nodes, one at a time, 100 s each, every 1,000 s until 2,000 s.
{ nodes a 4; work w 1 3000s 'from = 10s'; printf '[calendar]\nroll = down a-[0-3] at 100s for 100s every 1000s until 2000s rolling 1\n'; } >roll.ini
gsim roll.ini -o roll.h5
expect_status 0
h5 roll.h5 <<'PY'
o = files[0]['outages']
at = sorted(zip(o['start_s'][:], o['node'][:]))
assert at == [(100, 0), (200, 1), (300, 2), (400, 3), (1100, 0), (1200, 1), (1300, 2), (1400, 3)], at
assert np.allclose(o['end_s'][:] - o['start_s'][:], 100)
PY

# Bought and given back: capacity is what is owned and up.
{ nodes a 1; nodes b 1 'from = 1000s
until = 3000s'; work w 4 1000s; } >buy.ini
gsim buy.ini -o buy.h5
expect_status 0
h5 buy.h5 <<'PY'
f = files[0]
assert list(jobs(f)['first_start_s']) == [0, 1000, 1000, 2000], jobs(f)['first_start_s']
assert abs(value(f, 'gpu.capacity_gpu_s') - (float(f.attrs['end_s']) * 8 + min(2000, float(f.attrs['end_s']) - 1000) * 8)) < 1e-6
l = f['node_lives']
assert (1, 1000) in list(zip(l['node'][:], l['up_s'][:]))
PY

# The same from a list, with a wall clock.
printf 'name,action,nodes,at,for,reason\npatch,down,a-0,2026-01-05T00:08:20Z,100s,"kernel, and firmware"\n' >plan.csv
{ printf '[scenario]\nstart = 2026-01-05T00:00:00Z\n'; nodes a 1; work w 1 800s; printf '[calendar]\nfile = plan.csv\n'; } >list.ini
gsim list.ini -o list.h5
expect_status 0
h5 list.h5 down.h5 <<'PY'
a, b = files
assert jobs(a)['end_s'][0] == jobs(b)['end_s'][0]
assert a['outages/cause'][0] == b'patch: kernel, and firmware'
PY

# A job with an estimate is kept off a node that closes before its end, and takes another; a short one still goes there. Without an estimate, or with
# calendar = ignore, it is risked.
{ nodes a 2; work short 1 300s 'estimate = exact'; work long 2 1000s 'estimate = exact'; printf '[calendar]\nd = down a-0 at 500s for 100s\n'; } >avoid.ini
gsim avoid.ini -o avoid.h5
expect_status 0
h5 avoid.h5 <<'PY'
j = jobs(files[0])
assert list(j['first_start_s']) == [0, 0, 600], j['first_start_s']
assert j['preemptions'].sum() == 0
a = files[0]['allocations']
assert (a['node'][:][a['job'][:] == 0] == 0).all() and (a['node'][:][a['job'][:] == 1] == 1).all()
# the second long one fitted from 300 s on, and was kept out by what is planned
assert j['wait_reservation_s'][2] == 200, (j['wait_reservation_s'], j['wait_capacity_s'])
PY
gsim avoid.ini --set policy.calendar=ignore -o ignore.h5
expect_status 0
h5 ignore.h5 <<'PY'
assert jobs(files[0])['preemptions'].sum() == 1
PY

# A reservation: only the queue starts there while it lasts; what runs there stays; jobs of others that would run into it keep off.
{
  nodes a 2
  printf '[queue vip]\n[queue lab]\n'
  work lab 3 400s 'queue = lab
estimate = exact'
  work vip 1 100s 'queue = vip
from = 450s
estimate = exact'
  printf '[calendar]\nr = reserve a-0 at 500s for 1000s queue vip reason demo\n'
} >reserve.ini
gsim reserve.ini -o reserve.h5
expect_status 0
h5 reserve.h5 <<'PY'
f = files[0]
j = jobs(f)
# two lab jobs at 0, the third would need a-0 until 800 s: it goes to a-1 at 400 s; vip takes a-0 at 450 s
assert list(j['first_start_s']) == [0, 0, 400, 450], j['first_start_s']
a = f['allocations']
assert (a['node'][:][a['job'][:] == 2] == 1).all() and (a['node'][:][a['job'][:] == 3] == 0).all()
o = f['outages']
assert [c.decode() for c in o['cause'][:]] == ['r: demo']
PY

# Backfilling plans round it. No long job fits before the window, so the short ones behind them, which ask for the same, go ahead.
{ nodes a 2; work long 2 1500s 'estimate = exact'; work short 2 400s 'estimate = exact'; printf '[calendar]\nd = down all at 1000s for 1000s\n'; } >before.ini
for how in easy conservative; do
  gsim before.ini -o "$how.h5" --set policy.backfill=$how
  expect_status 0
  h5 "$how.h5" <<'PY'
j = jobs(files[0])
assert list(j['first_start_s']) == [2000, 2000, 0, 0], j['first_start_s']
assert j['predicted_start_s'][0] == 2000, j['predicted_start_s']
PY
done

# A gang waits for a node that comes back at 600 s: what ends by then may overtake it, what would run on may not.
{
  nodes a 2
  printf '[workload gang]\ncount = 1\ngpus = 16\nduration = constant 300s\nestimate = exact\nfrom = 200s\n'
  work fits 1 400s 'estimate = exact
from = 200s'
  work late 1 500s 'estimate = exact
from = 200s'
  printf '[calendar]\nd = down a-1 at 100s for 500s\n'
} >back.ini
for how in easy conservative; do
  gsim back.ini -o "$how.h5" --set policy.backfill=$how
  expect_status 0
  h5 "$how.h5" <<'PY'
j = jobs(files[0])
assert list(j['first_start_s']) == [600, 200, 900], j['first_start_s']
PY
done

# A module sees what is planned before it begins: this one keeps off such nodes until it is over.
modules=$(dirname "$GSIM")/tests/modules
if [ -e "$modules/gsp_plans.so" ]; then
  { nodes a 2; work w 4 100s; printf '[calendar]\nd = down a-1 at 500s for 100s\nr = drain a-0 at 5000s for 10s every 1h until 6000s\nleave = drain a-0 at 9000s\n'; } >seen.ini
  gsim seen.ini -o seen.h5 --set policy.placement=plans --policy-path "$modules:$(dirname "$GSIM")/policies"
  expect_status 0
  h5 seen.h5 <<'PY'
# both nodes have something planned at first; a-1 is free of it from 500 s (down) and usable from 600 s on
assert list(jobs(files[0])['first_start_s']) == [600, 700, 800, 900], jobs(files[0])['first_start_s']
PY
fi

# Slips, each with its line.
slip() { # slip ENTRY MESSAGE
  { nodes a 1; work w 1 800s; printf '[calendar]\nx = %s\n' "$1"; } >slip.ini
  gsim slip.ini -o slip.h5
  expect_status 2
  expect_err "$2"
  expect_err 'slip.ini:1[0-9]'
}
slip 'sleep a-0 at 5s' "'sleep' is not what can be planned"
slip 'down at 5s' 'which nodes'
slip 'down a-0' 'when\?'
slip 'down a-7 at 5s' "no node 'a-7' in this scenario"
slip 'down a-[0 at 5s' 'is not a list of nodes'
slip 'down a-0 at 5s for 0s' 'no time at all'
slip 'down a-0 at 5s every 1h' "'every' needs 'for'"
slip 'down a-0 at 5s for 2h every 1h' 'before the one before ends'
slip 'down a-0 at 5s twice' "'twice' is not|'5s twice' is not a time"
slip 'down a-0 at 2026-01-05T00:00:00Z' 'needs \[scenario\] start'
slip 'reserve a-0 at 5s for 1h' 'for which queue'
slip 'up a-0 at 5s for 1h' "'for' has no meaning for up"
finish
