#!/usr/bin/env bash
# gsim check: [expect], baselines, --bless, --against; its exit status; JUnit XML and Markdown.
. "$(dirname "$0")/lib.sh"
mkdir tmp
export TMPDIR=$PWD/tmp

# ---- expectations ----
mini 150
cat >>mini.ini <<'INI'
[expect]
allow = saturated
jobs.rejected = 0
jobs.wait.p95{gpus=1} <= 30d
INI
gsim check mini.ini
expect_status 0
expect_out '^mini\.ini: ok, 2 of 2 hold'
echo 'jobs.wait.p50 <= 1s' >>mini.ini
gsim check mini.ini --junit j.xml --markdown m.md
expect_status 1
expect_out 'fail +expect jobs\.wait\.p50 <= 1s: '
expect 'JUnit is well-formed' /usr/bin/python3 - <<'PY'
import xml.etree.ElementTree as E
r = E.parse("j.xml").getroot()
assert r.get("tests") == "3" and r.get("failures") == "1", r.attrib
assert len(r.findall(".//failure")) == 1 and not r.findall(".//*[@time]")
PY
expect 'Markdown says fail' grep -q '^### gsim check: \*\*fail\*\*' m.md
expect 'and only what moved' test "$(grep -c '^| mini' m.md)" = 1
expect 'and five jobs' test "$(grep -c '^- job' m.md)" -le 5
gsim check mini.ini --json
expect_status 1
cp out before
ln -s target link
gsim check mini.ini --markdown link
expect 'a link stays one, and its target is written' grep -q '^### gsim check: \*\*fail' target
expect 'the link' test -L link
cp before out
expect 'JSON' /usr/bin/python3 -c 'import json; assert json.load(open("out"))[0]["exit_status"] == 1'
gsim run mini.ini --no-file
expect_status 0
expect_err 'gsim check'
sed -i '$d' mini.ini
echo 'jobs.wait.p59 <= 1s' >>mini.ini
gsim check mini.ini
expect_status 2
expect_out "did you mean 'jobs\.wait\.p"
sed -i '$d' mini.ini
echo 'jobs.wait.p50{color=red} <= 1s' >>mini.ini
gsim check mini.ini
expect_status 2
expect_out "unknown selector key 'color'"

# ---- each point of a sweep is judged ----
mini 50 '[expect]
allow = saturated
jobs.rejected = 0
[sweep]
policy.order = fifo | ljf'
gsim check mini.ini -j2
expect_status 0
expect_out '^mini\.ini order=fifo: ok, 1 of 1 hold'
expect_out '^mini\.ini order=ljf: ok, 1 of 1 hold'
gsim check mini.ini --bless
expect_status 0
expect 'a baseline a point' test -s mini.order=fifo.baseline -a -s mini.order=ljf.baseline
gsim check mini.ini
expect_status 0
expect_out '^2 scenarios: 2 ok, 0 not'
gsim check mini.ini --baseline mini.order=ljf.baseline
expect_status 2
expect_out 'need a folder of baselines, not one file'
rm -f mini.*.baseline

# ---- baselines ----
mkdir suite
mini 150 '[expect]
allow = saturated'
cp mini.ini suite/fifo.ini
sed 's/order = fifo/order = ljf/' mini.ini >suite/ljf.ini
gsim check suite
expect_status 125
expect_out 'nothing to judge by'
gsim check suite --bless
expect_status 0
expect_file suite/fifo.baseline
gsim check suite -j 2
expect_status 0
expect_out '^2 scenarios: 2 ok, 0 not'
cp out two
gsim check suite -j 1
expect 'the same words with one and two workers' cmp out two
expect 'the digest is told' grep -q 'same events as in the baseline' out
sed -i '1i # mine' suite/fifo.baseline
sed -i 's/^jobs\.wait\.mean .*/jobs.wait.mean 1 s ±3% lower # watch this/; s/^jobs\.wait\.p50 .*/jobs.wait.p50 1e9 s/' suite/fifo.baseline
gsim check suite
expect_status 1
expect_out 'fail +baseline jobs\.wait\.mean: 1 s -> '
expect_out 'better +baseline jobs\.wait\.p50: '
gsim check suite --bless
expect_status 0
gsim check suite
expect_status 0
expect 'comments are kept' grep -q '^# mine' suite/fifo.baseline
expect 'and tolerances' grep -qE '^jobs\.wait\.mean +[0-9.]+ s +±3% lower  # watch this' suite/fifo.baseline
echo 'jobs.wait.mean 3' >>suite/fifo.baseline
gsim check suite
expect_status 2
expect_out 'fifo\.baseline:[0-9]+: '
sed -i '$d' suite/fifo.baseline

# Comments in a scenario change nothing, another load makes the baseline stale.
sed -i '1i ; a comment' suite/fifo.ini
gsim check suite/fifo.ini
expect_status 0
gsim check suite/fifo.ini --set scenario.seed=8
expect_status 125
expect_out 'stale: the scenario has changed since it was blessed, in \[scenario\] '
expect_out 'could not tell baseline jobs\.wait\.mean: .* -> '
gsim check suite/fifo.ini --set workload.train.count=149 --set nodes.small.count=3
expect_status 125
expect_out 'blessed, in \[nodes small\], \[workload train\] '
sed -i '/^section /d' suite/fifo.baseline
gsim check suite/fifo.ini --set scenario.seed=8
expect_out 'stale: the scenario has changed since it was blessed \('
# What does not hold, or only says how long it ran, is no measure for others.
mini 150
printf '[expect]\njobs.wait.mean <= 1s\n' >>mini.ini
gsim check mini.ini --bless
expect_status 1
expect_out 'not blessed, as an expectation does not hold'
expect 'nothing written' test ! -e mini.baseline
gsim check mini.ini --bless --force
expect_file mini.baseline
rm -f mini.baseline
mini 600
sed -i 's/30.h/300\/h/' mini.ini
gsim check mini.ini --bless
expect_status 1
expect_out 'not blessed, as the run is saturated'
printf '[expect]\nallow = saturated\n' >>mini.ini
gsim check mini.ini --bless
expect_status 0
expect 'the head says what the tolerance is' grep -q '^# ±1% (the default)' mini.baseline
gsim check mini.ini --force
expect_status 2
# An input that changed, too.
cat >t.ini <<'INI'
[scenario]
name = t
[nodes n]
type = dgx-h100
[trace t]
file = t.csv
format = gsim
[policy]
order = fifo
placement = bestfit
INI
printf 'submit,duration,gpus\n0,600,8\n60,600,8\n' >t.csv
gsim check t.ini --bless
expect_status 0
gsim check t.ini
expect_status 0
printf 'submit,duration,gpus\n0,600,8\n60,601,8\n' >t.csv
gsim check t.ini --junit j.xml
expect_status 125
expect_out 'stale: the input t\.csv has changed'
expect 'an error in JUnit, none is skipped' grep -qE 'errors="1" skipped="[0-9]+"' j.xml
expect 'an error, and says why' grep -q '<error message="the baseline is stale' j.xml
expect_out 'could not tell baseline jobs\.jct\.mean: .* -> '

# A scenario of a newer gsim cannot be judged by this one; the same error without such a baseline is bad input.
echo 'unknown_key = 1' >>t.ini
gsim check t.ini
expect_status 2
sed -i 's/^gsim .*/gsim 99.0/' t.baseline
gsim check t.ini
expect_status 125
gsim check nosuch.ini
expect_status 2
gsim check suite/fifo.ini --baseline nosuch.baseline
expect_status 2
mkdir other
gsim check suite --baseline other --bless
expect_status 0
expect_file other/ljf.baseline
gsim check suite --baseline other
expect_status 0
gsim check suite --baseline other/ljf.baseline
expect_status 2
mkdir empty
gsim check empty
expect_status 2
gsim check
expect_status 2

# ---- modules ----
gsim check suite/fifo.ini --set policy.order=nosuch
expect_status 125
modules=$(dirname "$GSIM")/tests/modules
if [ -e "$modules/gsp_fault.so" ] && [ -e "$source_dir/tests/modules/gsp_fault.c" ]; then
  gsim check suite/fifo.ini --policy-path "$modules" --set policy.order=bad-major
  expect_status 125
fi
command -v cc >/dev/null || { echo 'note: no compiler: --against is not tried'; finish; }
module() { # FILE SED: a build of sjf, changed
  sed "$2" "$source_dir/policies/sjf.c" >"$1.c"
  cc -std=c11 -shared -fPIC -I"$source_dir/policies/include" -I"$source_dir/policies/lib" -o "$1" "$1.c"
}
mkdir old new
module old/gsp_sjf.so ''
module new/gsp_sjf.so 's/estimate_ns\[GSP_INDEX(job\[i\])\]/estimate_ns[GSP_INDEX(job[i])] * -1/'
cp new/gsp_sjf.so new.so
cp old/gsp_sjf.so old.so
sed -i 's/order = ljf/order = sjf/; s/^seed = 7/seed = 7\nreplications = 5/' suite/ljf.ini
gsim check suite/ljf.ini --against old.so old/gsp_sjf.so
expect_status 0
expect_out '1 of 1 hold'
gsim check suite/ljf.ini --against old.so new.so --markdown m.md
expect_status 1
expect_out 'fail +against jobs\.wait\.mean: .*p = .* over 5 pairs'
expect 'the jobs that explain it' grep -q '^The jobs that explain most of it' m.md
gsim check suite/ljf.ini --against new.so old.so
expect_status 0
expect_out 'better +against jobs\.wait\.mean'
gsim check suite/ljf.ini --against old.so new.so --metric gpu.capacity_gpu_s
expect_status 0
gsim check suite --against old.so new.so
expect_status 1
expect_out "does not use the module 'sjf'"
gsim check suite/fifo.ini --against old.so new.so
expect_status 125

# What could not have been seen does not hold: first in, first out turned around, by one sign.
turned() { # FILE SED
  sed "$2" "$source_dir/policies/template.c" >"$1.c"
  cc -std=c11 -shared -fPIC -I"$source_dir/policies/include" -I"$source_dir/policies/lib" -o "$1" "$1.c"
}
turned fifo.so ''
turned lifo.so 's/key\[i\] = c->view/key[i] = -c->view/'
mini 150
sed -i 's/order = fifo/order = template/' mini.ini
gsim check mini.ini --against fifo.so lifo.so
expect_status 1 # one run: a difference is one
expect_out 'fail +against jobs\.wait\.max: '
sed -i 's/^seed = 7/seed = 7\nreplications = 5/' mini.ini
for strict in '' --strict; do
  # shellcheck disable=SC2086
  gsim check mini.ini --set scenario.replications=2 --against fifo.so lifo.so --metric jobs.wait.p99 --metric jobs.wait.max $strict --junit j.xml
  expect_status $((${#strict} > 0 ? 125 : 0))
  expect_out 'hold, [12] could not be told \(replications = 2: changes below [0-9.]+( to [0-9.]+)? % are invisible\)'
  expect_out 'could not tell against jobs\.wait\.(p99|max): .* takes about [0-9]+ replications'
  expect 'skipped in JUnit' grep -q '<skipped message="' j.xml
done
gsim check mini.ini --against fifo.so lifo.so
expect_out 'jobs: [0-9]+ waited longer, [0-9]+ shorter, median change '
# The jobs of all seeds: nearly all lose, while the means of five runs say little.
gsim check mini.ini --against lifo.so fifo.so
expect_status 1
expect_out 'fail +against jobs: [0-9]+ waited longer, .*losers [0-9.]+ % of the moved, p = [0-9.e-]+ over 5 seeds'
echo junk >bad.so
gsim check suite/ljf.ini --against old.so bad.so
expect_status 125
gsim check suite/ljf.ini --against old.so
expect_status 2
gsim check suite/ljf.ini --against old.so new.so --bless
expect_status 2
expect 'nothing is left behind' test -z "$(ls tmp)"
finish
