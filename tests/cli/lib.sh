# shellcheck shell=bash disable=SC2034
# lib.sh - what the tests of the command line share; sourced, never run.
#
# A script runs commands with `gsim ARGS...`, which keeps their status, output and messages, and then says what it expected.
# Every failed expectation is printed, none ends the script; `finish` is its last line.


set -u
: "${GSIM:?the program to test}"
source_dir=${GSIM_SOURCE:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
work=$(mktemp -d "${TMPDIR:-/tmp}/gsim-cli.XXXXXX")
cleanup() { rm -rf "$work"; }
trap cleanup EXIT
cd "$work" || exit 1
unset NO_COLOR CLICOLOR CLICOLOR_FORCE GSIM_POLICY_PATH
export LC_ALL=C

failures=0
expectations=0
last=

# gsim ARGS...: runs the program; leaves $status, and the files out and err.
gsim() {
  last="gsim $*"
  status=0
  "$GSIM" "$@" >out 2>err </dev/null || status=$?
}

fail() {
  failures=$((failures + 1))
  printf 'FAIL %s: %s: %s\n' "${BASH_SOURCE[2]##*/}:${BASH_LINENO[1]}" "$last" "$*"
  [ ! -s err ] || head -n 12 err | sed 's/^/     | /'
}

expect_status() {
  expectations=$((expectations + 1))
  [ "$status" = "$1" ] || fail "exit status $status, expected $1"
}

# The output (messages) has a line that matches the extended regular expression.
expect_out() {
  expectations=$((expectations + 1))
  grep -qE -e "$1" out || fail "no line of the output matches /$1/"
}

expect_err() {
  expectations=$((expectations + 1))
  grep -qE -e "$1" err || fail "no line of the messages matches /$1/"
}

expect_no_out() {
  expectations=$((expectations + 1))
  ! grep -qE -e "$1" out || fail "a line of the output matches /$1/"
}

expect_file() {
  expectations=$((expectations + 1))
  [ -s "$1" ] || fail "no file $1"
}

# No file of this name, and nothing half-written beside it.
expect_no_file() {
  expectations=$((expectations + 1))
  local f
  for f in "$1" "$1".*; do
    [ ! -e "$f" ] || fail "there is a $f"
  done
}

# expect WHAT COMMAND...: anything else.
expect() {
  local what=$1
  shift
  expectations=$((expectations + 1))
  "$@" >/dev/null 2>&1 || fail "$what"
}

skip_all() {
  echo "SKIP: $*"
  exit 77
}

finish() {
  echo "$expectations expectations, $failures failed"
  [ $failures -eq 0 ]
  exit
}

# mini [COUNT [MORE LINES]]: a small scenario, mini.ini, of so many jobs (200).
mini() {
  cat >mini.ini <<INI
[scenario]
name = mini
seed = 7
[nodes small]
type = dgx-h100
count = 2
[workload train]
kind = training
arrivals = poisson 30/h
count = ${1:-200}
gpus = choice 1:0.5 2:0.3 8:0.2
duration = exponential mean=20m
estimate = exact
[policy]
order = fifo
placement = bestfit
${2:-}
INI
}

# nodes [NAME [COUNT [LINES]]]: a section of nodes with 8 GPUs each, on standard output.
nodes() {
  cat <<INI
[nodes ${1:-a}]
gpu = H100-SXM5-80GB
gpus = 8
cpus = 64
memory = 512GiB
count = ${2:-2}
${3:-}
INI
}

# attribute FILE NAME: an attribute of the root of a results file, or nothing where h5py is missing.
attribute() {
  /usr/bin/python3 - "$1" "$2" <<'PY'
import sys
import h5py
with h5py.File(sys.argv[1]) as f:
    v = f.attrs[sys.argv[2]]
    print(v.decode() if isinstance(v, bytes) else v)
PY
}

have_h5py() { /usr/bin/python3 -c 'import h5py' 2>/dev/null; }

# h5 FILE... <<'PY': statements of Python about results files, open as files[0], files[1], ...; jobs(f) gives the columns of /jobs by name,
# value(f, METRIC) a figure of /summary. Any exception is a failed expectation. Left out, saying so, where h5py is missing.
h5() {
  expectations=$((expectations + 1))
  last="h5 $*"
  cat >h5.py <<'PY'
import sys
import h5py
import numpy as np


def columns(f, group):
    return {k: v[:] for k, v in f[group].items()}


def jobs(f):
    return columns(f, 'jobs')


def value(f, metric):
    s = f['summary']
    return dict(zip((n.decode() for n in s['name'][:]), s['value'][:]))[metric]


files = [h5py.File(name, 'r') for name in sys.argv[1:]]
PY
  cat >>h5.py
  if ! have_h5py; then
    echo "note: no h5py: what it would have looked at in $* is not looked at"
    return
  fi
  /usr/bin/python3 h5.py "$@" >out 2>err || fail "$(tail -n 1 err)"
}
