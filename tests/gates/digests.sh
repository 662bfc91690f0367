#!/usr/bin/env bash
# digests.sh GSIM... - the same scenario gives the same digests with every one of these programs (other compilers, other
# optimisation, sanitizers), with glibc's FMA and AVX2 kernels hidden, and with two workers; a second run of the
# first program gives the same bytes. SCENARIOS="a.ini b.ini" names others than the quickstart and tests/golden.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
[ $# -gt 0 ] || { echo "usage: $0 GSIM..." >&2; exit 2; }
shopt -s nullglob
read -ra scenarios <<<"${SCENARIOS:-$(echo scenarios/quickstart.ini tests/golden/*.ini)}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
# Both spellings: glibc before 2.33 calls them *_Usable, later ones do not.
hidden=glibc.cpu.hwcaps=-AVX2_Usable,-FMA_Usable,-AVX2,-FMA,-FMA4

# digests NAME SCENARIO GSIM [options]: the digest lines of one run in $tmp/NAME.txt, its files in $tmp/NAME/.
digests() {
  local name=$1 scenario=$2 gsim=$3
  shift 3
  rm -rf "${tmp:?}/$name"
  mkdir "$tmp/$name"
  if ! "$gsim" run "$scenario" -o "$tmp/$name/out.h5" --color never "$@" >"$tmp/out" 2>"$tmp/err"; then
    echo "FAIL $scenario with $gsim: $(tail -n 3 "$tmp/err")"
    return 1
  fi
  grep -oE '\b(data_)?digest.*' "$tmp/out" >"$tmp/$name.txt" || { echo "FAIL $scenario with $gsim: no digest line"; return 1; }
}

# same NAME WHAT: the digests of run NAME are those of the first run.
same() {
  if ! diff "$tmp/first.txt" "$tmp/$1.txt" >"$tmp/diff"; then
    echo "FAIL $2: other digests"
    cat "$tmp/diff"
    bad=1
  else
    echo "ok   $2"
  fi
}

# Does hiding the kernels change anything on this machine? If not, that check proves nothing, and we say so.
cat >"$tmp/probe.c" <<'C'
#include <math.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
    unsigned long long h = 0;
    for (int i = 1; i < 200000; i++) {
        volatile double x = i * 0.37e-3 + 0.1;
        const double r[4] = {exp(x - 30), sin(x), pow(x, 1.37), log(x)};
        for (int k = 0; k < 4; k++) {
            unsigned long long b;
            memcpy(&b, &r[k], sizeof b);
            h = h * 1099511628211ULL ^ b;
        }
    }
    printf("%llx\n", h);
    return 0;
}
C
"${CC:-cc}" -O1 "$tmp/probe.c" -o "$tmp/probe" -lm
if [ "$("$tmp/probe")" = "$(GLIBC_TUNABLES=$hidden "$tmp/probe")" ]; then
  echo 'note: hiding FMA and AVX2 changes nothing in libm on this machine'
fi

for scenario in "${scenarios[@]}"; do
  [ -f "$scenario" ] || { echo "FAIL $scenario: no such file"; bad=1; continue; }
  digests first "$scenario" "$1" || { bad=1; continue; }
  # Unquoted on purpose: one line for people.
  # shellcheck disable=SC2046
  echo "     $scenario: $(wc -l <"$tmp/first.txt") digest lines, the first: $(head -n 1 "$tmp/first.txt" | tr -s " " | cut -c1-60)"
  for gsim in "${@:2}"; do
    if digests other "$scenario" "$gsim"; then same other "$scenario with $gsim"; else bad=1; fi
  done
  if GLIBC_TUNABLES=$hidden digests hidden "$scenario" "$1"; then
    same hidden "$scenario with FMA and AVX2 hidden"
  else
    bad=1
  fi
  if digests again "$scenario" "$1"; then
    if diff -r "$tmp/first" "$tmp/again" >/dev/null; then
      echo "ok   $scenario twice: equal bytes"
    else
      echo "FAIL $scenario twice: the results files differ"
      bad=1
    fi
  else
    bad=1
  fi
done
exit $bad
