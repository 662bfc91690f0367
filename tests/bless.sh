#!/usr/bin/env bash
# bless.sh GSIM - writes tests/golden/digests.txt anew from this program, and shows what moved. The commit that carries the new file says
# in its message why each scenario decides differently now ("golden: SCENARIO ...: reason"); digests that moved for no known reason are a bug.
set -u
cd "$(dirname "$0")/.." || exit 1
[ $# -eq 1 ] || { echo "usage: $0 GSIM" >&2; exit 2; }
before=$(mktemp)
trap 'rm -f "$before"' EXIT
cp tests/golden/digests.txt "$before"
GSIM=$(realpath "$1") BLESS=1 bash tests/golden/golden.sh || exit 1
moved=$(diff "$before" tests/golden/digests.txt | awk '/^>/ { print $2 }' | sort | uniq -c)
echo "${moved:-nothing moved}"
