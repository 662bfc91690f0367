#!/usr/bin/env bash
# Every format against files as they come: other line ends, a byte-order mark, no last line end give the same figures; torn, empty,
# binary, wrongly encoded and absurdly wide files get an answer or an error, never a crash, a hang or a silent loss.
. "$(dirname "$0")/lib.sh"

samples=$source_dir/traces/samples

# What is said of the content, not of the file.
figures() { sed '1d; /^  file /d' out; }

# answered NAME: neither a crash nor a hang.
answered() {
  expect "$1: answered, with a message if refused" test "$status" = 0 -o \( "$status" = 2 -a -s err \)
}

info() {
  last="gsim trace info $*"
  status=0
  timeout 20 "$GSIM" trace info "$@" >out 2>err </dev/null || status=$?
}

same() { # same FILE WHAT
  info "$1" --format "$format"
  expect_status 0
  figures >got
  expect "$2 makes no difference" cmp -s plain got
}

for sample in "$samples"/*; do
  name=${sample##*/}
  case $name in *.gz) continue ;; esac
  info "$sample"
  expect_status 0
  figures >plain
  format=$(sed -n '1s/^[^ ]*: \([a-z0-9_-]*\) (.*/\1/p' out)
  expect "$name: its format is said" test -n "$format"

  sed 's/$/\r/' "$sample" >"$name"
  same "$name" 'CR LF'
  { printf '\357\273\277' && cat "$sample"; } >"$name"
  same "$name" 'a byte-order mark'
  printf %s "$(cat "$sample")" >"$name"
  same "$name" 'no last line end'
  gzip -c "$sample" >"$name"
  same "$name" gzip
  tar -cf "$name" -C "$samples" "${sample##*/}"
  same "$name" tar
  rm -f "$name"

  # Torn files: a gzip is never read in part, a text may end anywhere.
  gzip -c "$sample" | head -c -7 >"$name"
  info "$name"
  expect_status 2
  expect_err 'truncated'
  size=$(wc -c <"$sample")
  for part in 3 2 1; do
    head -c $((size * part / 4)) "$sample" >"$name"
    info "$name"
    answered "$name, $part quarters"
  done
  iconv -f UTF-8 -t UTF-16 "$sample" >"$name" 2>/dev/null || continue
  info "$name"
  expect_status 2
  expect_err 'UTF-16'
  { head -c $((size / 2)) "$sample" && printf '\000\001\377' && tail -c +$((size / 2 + 1)) "$sample"; } >"$name"
  info "$name"
  answered "$name with binary inside"
done

# Each format by name on what is not its own.
: >empty
printf '\n\n\n' >blank
head -c 20000 /dev/urandom >noise
seq -s , 1 1000000 >wide
awk 'BEGIN { for (i = 0; i < 200000; i++) printf "[" }' >deep
printf 'a,b\n1,"2\n' >quote
for format in $("$GSIM" help formats | sed -n '/^name /,$s/^\([a-z][a-z0-9_-]*\) .*/\1/p' | tail -n +2); do
  for file in empty blank noise wide deep quote; do
    info $file --format "$format"
    expect "$format on $file: refused with a message" test "$status" = 2 -a -s err
  done
done
finish
