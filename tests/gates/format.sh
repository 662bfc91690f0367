#!/bin/sh
# Every C file is as clang-format leaves it. Repair: tests/gates/format.sh --fix
cd "$(dirname "$0")/../.." || exit 1
case ${1:-} in
--fix) tests/gates/files.sh '*.c' '*.h' | xargs -r -n 20 -P 2 clang-format -i ;;
*)
  tests/gates/files.sh '*.c' '*.h' | xargs -r -n 20 -P 2 clang-format --dry-run 2>&1 |
    sed -n 's/^\([^: ]*\):[0-9]*:[0-9]*: .*/\1: not as clang-format leaves it (tests\/gates\/format.sh --fix)/p' | sort -u | {
    ! grep .
  }
  ;;
esac
