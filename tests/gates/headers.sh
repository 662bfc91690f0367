#!/bin/sh
# Every header compiles alone in C11 (but for the bodies that tests/modules share); the policy ABI in C++17 too.
cd "$(dirname "$0")/../.." || exit 1
flags="-fsyntax-only -Wall -Wextra -Werror -I. -Ipolicies/include -Ipolicies/lib -D_POSIX_C_SOURCE=200809L"
# shellcheck disable=SC2089  # the quotes are part of the definitions
flags="$flags -DGSIM_SOURCE_DIR=\"\" -DGSIM_POLICY_DIR=\"\" -DGSIM_TEST_MODULE_DIR=\"\" $(pkg-config --cflags hdf5-serial smartcols 2>/dev/null)"
# shellcheck disable=SC2016  # the inner shell's own parameters
tests/gates/files.sh '*.h' ':!tests/modules' | xargs -r -n 1 -P 2 sh -c '
  printf "#include \"%s\"\nextern int gs_not_empty;\n" "$2" |
    ${CC:-gcc} -std=c11 $1 -x c - || { echo "$2: does not compile alone"; exit 1; }' sh "$flags" || exit 1
for cxx in g++ clang++; do
  if command -v $cxx >/dev/null 2>&1; then
    tests/gates/files.sh 'policies/include/*.h' | while read -r h; do
      # shellcheck disable=SC2086,SC2090  # a list of options
      printf '#include "%s"\nextern int gs_not_empty;\n' "$h" | $cxx -std=c++17 $flags -x c++ - || exit 1
    done || { echo "$cxx: the policy ABI is not C++"; exit 1; }
  fi
done
