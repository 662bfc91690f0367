#!/usr/bin/env bash
# Bad scenarios: exit status 2, file:line in the message, every problem in one go, and no output file.
. "$(dirname "$0")/lib.sh"

# refused REGEX: bad.ini is refused by run and by validate, with a message like this.
refused() {
  local command
  for command in run validate; do
    if [ $command = run ]; then gsim run bad.ini -o bad.h5; else gsim validate bad.ini; fi
    expect_status 2
    expect_err "$1"
    expect_no_file bad.h5
    expect 'no message twice' sh -c "! grep -oE 'bad\.ini:[0-9]+: .*' err | sort | uniq -d | grep -q ."
  done
}

# change REGEX REPLACEMENT: bad.ini is mini.ini with one line changed.
change() {
  mini
  sed -E "s|$1|$2|" mini.ini >bad.ini
  ! cmp -s mini.ini bad.ini || fail "the test's own change '$1' changes nothing"
}

: >bad.ini
refused 'bad\.ini'
gsim run none.ini -o bad.h5
expect_status 2
expect_err 'none\.ini.*[Nn]o such file'
mkdir folder.ini
gsim run folder.ini -o bad.h5
expect_status 2
expect_err 'folder\.ini.*directory'
head -c 2000 /dev/urandom >bad.ini
refused 'bad\.ini'
printf '[scenario]\nname = \0x\n' >bad.ini
refused 'bad\.ini:2'

change 'count = 2$' 'count = twelve'
refused "^(gsim: )?bad\.ini:6: \[nodes small\] count: 'twelve'"
change 'count = 2$' 'count = 0'
refused 'bad\.ini:6:'
change 'count = 2$' 'count = -2'
refused "bad\.ini:6:.*'-2'"
change 'count = 2$' 'count = 99999999999999999999'
refused 'bad\.ini:6:'
change 'count = 2$' 'cuont = 2'
refused 'bad\.ini:6:.*cuont.*count'
change '^\[nodes small\]' '[ndoes small]'
refused 'bad\.ini:4:.*ndoes.*nodes'
change 'type = dgx-h100' 'type = dgx-h1000'
refused 'bad\.ini:5:.*dgx-h1000'
change 'mean=20m' 'mean=20'
refused 'bad\.ini:12:.*20'
change 'mean=20m' 'mean=20 parsecs'
refused 'bad\.ini:12:'
change 'mean=20m' 'maen=20m'
refused 'bad\.ini:12:.*(maen|needs mean)'
change 'poisson 30/h' 'poisson 30'
refused 'bad\.ini:9:'
change 'order = fifo' 'order = fofi'
refused 'bad\.ini:15:.*fofi'
change 'count = 200' '; count = 200'
refused 'horizon'
change '^name = mini' "name = $(printf 'x%.0s' $(seq 300))"
refused 'bad\.ini:2:.*198'
change '^name = mini' "name = mini\nthis is no setting"
refused 'bad\.ini:3'
change '^seed = 7' 'seed = 7\nseed = 8'
refused 'bad\.ini:4:.*seed'

# No nodes at all.
mini
sed '/^\[nodes/,/^count = 2/d' mini.ini >bad.ini
refused 'nodes'
# The same section twice.
{ cat mini.ini && printf '[nodes small]\ncount = 3\n'; } >bad.ini
refused 'bad\.ini:1[78]:.*nodes small'
# A section name over 48 bytes.
{ cat mini.ini && printf '[nodes %s]\ncount = 3\n' "$(printf 'n%.0s' $(seq 60))"; } >bad.ini
refused 'bad\.ini:1[78]:.*48'

# Every problem in one go.
mini
sed -E 's/count = 2$/count = two/; s/mean=20m/mean=-3m/; s/order = fifo/order = fofi/' mini.ini >bad.ini
refused "bad\.ini:6:.*'two'"
expect_err 'bad\.ini:12:'
expect_err 'bad\.ini:15:'

# Jobs that can never fit are no error: rejected, with the reason kept, and said in the summary.
mini 50
sed -i 's/8:0.2/64:0.2/' mini.ini
gsim run mini.ini -o big.h5
expect_status 0
expect_out '[Rr]ejected'
finish
