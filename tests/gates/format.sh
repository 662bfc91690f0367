#!/bin/sh
# Every C file is as clang-format leaves it. Repair: tests/gates/format.sh --fix
cd "$(dirname "$0")/../.." || exit 1
# shellcheck disable=SC2016  # the inner shell has its own parameters
case ${1:-} in
--fix) tests/gates/files.sh '*.c' '*.h' | xargs -r -n 20 -P 2 clang-format -i ;;
*)
  tests/gates/files.sh '*.c' '*.h' | xargs -r -n 1 -P 2 sh -c '
    clang-format "$0" | cmp -s - "$0" || { echo "$0: not as clang-format leaves it (tests/gates/format.sh --fix)"; exit 1; }'
  ;;
esac
