#!/bin/sh
# files.sh GLOB... - the repository's files of these patterns, committed or new, one a line, in a fixed order.
cd "$(dirname "$0")/../.." || exit 1
if git rev-parse --git-dir >/dev/null 2>&1; then
  git ls-files -co --exclude-standard -- "$@" | LC_ALL=C sort -u | while IFS= read -r f; do
    [ -f "$f" ] && printf '%s\n' "$f"
  done
else
  for pattern in "$@"; do
    find . -path ./build -prune -o -name "$pattern" -type f -print
  done | sed 's|^\./||' | LC_ALL=C sort -u
fi
exit 0
