#!/bin/sh
# Functions have at most 80 lines and files at most 800 (most have far fewer); every C file opens with an essay.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck disable=SC2016  # awk's own variables
tests/gates/files.sh '*.c' '*.h' | xargs -r awk '
  FNR == 1 {
    if (NR > 1 && lines > 800) { print last ": " lines " lines, at most 800"; bad = 1 }
    if ($0 !~ /^\/\*/) { print FILENAME ":1: opens without a comment that says what the file is"; bad = 1 }
    last = FILENAME; start = 0
  }
  { lines = FNR }
  /^[a-zA-Z_].*\(/ { signature = $0 }
  /^\{/ { start = FNR }
  /^\}$/ && start {
    if (FNR - start - 1 > 80) { print FILENAME ":" start ": " FNR - start - 1 " lines, at most 80: " signature; bad = 1 }
    start = 0
  }
  END {
    if (lines > 800) { print last ": " lines " lines, at most 800"; bad = 1 }
    exit bad
  }'
