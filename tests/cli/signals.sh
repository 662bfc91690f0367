#!/usr/bin/env bash
# Ctrl-C: exit status 130, and the file that is left is valid and says complete = 0. SIGTERM: the same with 143.
. "$(dirname "$0")/lib.sh"
mini 3000000
sed -i 's/^count = 2$/count = 200/; s|30/h|3000/h|' mini.ini

# interrupted SIGNAL STATUS: starts the long run, signals it once it simulates, and waits.
interrupted() {
  rm -f part.h5*
  last="gsim run, then SIG$1"
  "$GSIM" run mini.ini -o part.h5 --progress=plain >out 2>err </dev/null &
  local pid=$!
  sleep "${2:-2}"
  if ! kill -s "$1" $pid 2>/dev/null; then
    fail 'the run had ended before it could be interrupted'
    return 1
  fi
  status=0
  wait $pid || status=$?
}

# A background job of a shell ignores SIGINT unless the shell has job control.
set -m
if interrupted INT; then
  expect_status 130
  expect_file part.h5
  expect_no_file part.h5.part
  expect_err '[Ii]nterrupt|SIGINT|stopped'
  if have_h5py && [ -s part.h5 ]; then
    expect 'complete = 0' test "$(attribute part.h5 complete)" = 0
  fi
fi
if interrupted TERM; then
  expect_status 143
  expect_file part.h5
fi
finish
