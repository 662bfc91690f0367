#!/usr/bin/env bash
# Colours: none into a pipe or with NO_COLOR, some with --color=always; progress lines only on a terminal.
. "$(dirname "$0")/lib.sh"
mini
escape=$(printf '\033')

plain() { ! grep -q "$escape" out err; }

gsim run mini.ini -o a.h5
expect_status 0
expect 'no escape codes into a file' plain
cp out first
NO_COLOR=1 gsim run mini.ini -o a.h5
expect 'no escape codes with NO_COLOR' plain
gsim run mini.ini -o a.h5 --color never
expect 'no escape codes with --color never' plain
gsim run mini.ini -o a.h5 --color always
expect_status 0
expect 'escape codes with --color always' grep -q "$escape" out
sed "s/$escape\[[0-9;]*m//g" out >stripped
expect 'colours change no letter' cmp first stripped

# On a terminal: colours by themselves, unless NO_COLOR says otherwise.
if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1; then
  last='gsim on a terminal'
  TERM=xterm-256color script -qec "'$GSIM' run mini.ini -o a.h5" /dev/null >out 2>err </dev/null
  expect 'escape codes on a terminal' grep -q "$escape" out
  last='gsim on a terminal with NO_COLOR'
  NO_COLOR=1 TERM=xterm-256color script -qec "'$GSIM' run mini.ini -o a.h5" /dev/null >out 2>err </dev/null
  expect 'no colours on a terminal with NO_COLOR' sh -c "! grep -q '$escape\[[0-9;]*m' out"
fi
finish
