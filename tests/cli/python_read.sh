#!/usr/bin/env bash
# The README's Python for reading results, run as it stands on a results file: $1, or else one of a small run.
# Each block of Python in the README that names "results.h5" is one program.
results=${1:+$(realpath "$1")}
: "${GSIM:=none}" # not needed with $1
. "$(dirname "$0")/lib.sh"

python=/usr/bin/python3
for module in h5py pandas xarray; do
  "$python" -c "import $module" 2>/dev/null || skip_all "no Python module $module"
done
readme=$source_dir/README.md
grep -q 'FILE = "results.h5"' "$readme" 2>/dev/null || skip_all "README.md has no Python that reads results.h5"

if [ -n "$results" ]; then
  cp "$results" results.h5
else
  mini 200
  gsim run mini.ini -o results.h5
  expect_status 0
fi

# Writes the blocks to block1.py, block2.py, ...
awk '/^```python/ { n++; name = "block" n ".py"; next } /^```/ { name = "" } name { print > name }' "$readme"
programs=0
for block in block*.py; do
  grep -q 'FILE = "results.h5"' "$block" || continue
  programs=$((programs + 1))
  last="python3 $block (from README.md)"
  status=0
  "$python" "$block" >out 2>err || status=$?
  expect_status 0
  expect "$block prints something" test -s out
done
last=README.md
expect "one program for pandas and one for xarray" test "$programs" -ge 2
finish
