#!/usr/bin/env bash
# Traces: what `trace info` says of a file, and what bad rows, damaged files and odd but legal ones do.
. "$(dirname "$0")/lib.sh"

# refused FILE REGEX: trace info and run both refuse the file, with a message like this.
refused() {
  gsim trace info "$1"
  expect_status 2
  expect_err "$2"
  replay "$1"
  gsim run replay.ini -o bad.h5
  expect_status 2
  expect_err "$2"
  expect_no_file bad.h5
}

# replay FILE: replay.ini replays it.
replay() {
  cat >replay.ini <<INI
[scenario]
name = replay
[nodes small]
type = dgx-h100
count = 2
[trace t]
file = $1
format = gsim
[policy]
order = fifo
INI
}

good() { printf 'submit,duration,gpus,name\n0,100,1,a\n10,200,8,b\n20,50,2,c\n'; }

good >good.csv
gsim trace info good.csv
expect_status 0
expect_out 'rows.*3'
cp out plain
gzip -c good.csv >good.csv.gz
gsim trace info good.csv.gz
expect_status 0
expect_out 'rows.*3'
replay good.csv
gsim run replay.ini -o plain.h5
expect_status 0
cp out plain
replay good.csv.gz
gsim run replay.ini -o gz.h5
expect_status 0
expect 'gzip or not, the same digest' test "$(grep '^digest' out)" = "$(grep '^digest' plain)"

: >empty.csv
refused empty.csv 'empty\.csv'
{ good && printf '30,1\n'; } >short.csv
refused short.csv '^gsim: .*short\.csv:5:'
{ good && printf '30,-3,1,d\n'; } >negative.csv
refused negative.csv "negative\.csv:5: column 'duration': '-3'"
{ good && printf '30,1,-1,d\n'; } >negative.csv
refused negative.csv "negative\.csv:5: column 'gpus': '-1'.*--bad-rows=skip"
{ good && printf '30,1e300,1,d\n'; } >absurd.csv
refused absurd.csv 'absurd\.csv:5:'
{ good && printf '30,99999999999999999999,1,d\n'; } >absurd.csv
refused absurd.csv 'absurd\.csv:5:'
{ good && printf '30,1,1,a\n'; } >twice.csv
gsim trace info twice.csv
expect_status 0
expect_out '1 repeat an id'
replay twice.csv
gsim run replay.ini -o bad.h5
expect_status 2
expect_err "twice\.csv:5:.*'a'"
refused none.csv '[Nn]o such file.*none\.csv|none\.csv.*[Nn]o such file'
mkdir folder.csv
refused folder.csv 'folder\.csv.*directory'
head -c 60 good.csv.gz >cut.csv.gz
refused cut.csv.gz 'cut\.csv\.gz'
head -c 3000 /dev/urandom >noise.csv
refused noise.csv 'noise\.csv'

# Skipping bad rows is a choice, and it shows.
{ good && printf '30,-3,1,d\n40,1\n50,10,1,e\n'; } >bad.csv
replay bad.csv
gsim run replay.ini -o skipped.h5
expect_status 2
gsim run replay.ini -o skipped.h5 --bad-rows=skip
expect_status 0
expect_file skipped.h5
cat out err >both
expect 'says that two rows were skipped' grep -qE '2 .*(rows )?skipped|skipped.* 2' both

# Out of order is data: sorted and counted. Equal rows without ids are data too.
printf 'submit,duration,gpus\n20,50,1\n0,100,1\n0,100,1\n' >order.csv
gsim trace info order.csv
expect_status 0
expect_out 'out_of_order.*1'
replay order.csv
gsim run replay.ini -o order.h5
expect_status 0

# A gang that the cluster can never hold is rejected with its reason; the run goes on.
printf 'submit,duration,gpus\n0,100,1\n1,100,17\n' >large.csv
replay large.csv
gsim run replay.ini -o large.h5
expect_status 0
expect_out '[Rr]ejected'

# The figures that a right reader reports, where the shared material is there.
shared=${GSIM_SHARED:-$source_dir/../shared}
if [ -f "$shared/traces/CONTROL.tsv" ]; then
  while IFS= read -r file; do
    path=$shared/traces/$file
    [ -f "$path" ] || continue
    gsim trace info "$path"
    expect_status 0
    awk -F '\t' -v f="$file" '$1 "/" $2 == f { print $3 "\t" $4 }' "$shared/traces/CONTROL.tsv" >control
    tr -s ' \t' ' ' <out | sed 's/^ //; s/ $//' >said
    while IFS=$(printf '\t') read -r quantity value; do
      expect "$file: $quantity is $value" grep -qxF "$quantity${value:+ $value}" said
    done <control
  done < <(awk -F '\t' 'NR > 1 { print $1 "/" $2 }' "$shared/traces/CONTROL.tsv" | grep -E '^(openb/|philly/philly\.csv|swf/.*\.swf(\.gz)?$)' | sort -u)
else
  echo 'note: no shared material: the real traces are not read'
fi
finish
