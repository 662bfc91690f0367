#!/usr/bin/env bash
# `gsim trace info`: the screen, JSON, zones, archives, charts.
. "$(dirname "$0")/lib.sh"

samples=$source_dir/traces/samples
field() { /usr/bin/python3 -c "import json,sys; d=json.load(open('out')); print($1)"; }

gsim trace info "$samples/philly.csv"
expect_status 0
expect_out '^[^ ]*philly\.csv: philly \(guessed from the content\)'
expect_out '^  units +submit wall clock'
expect_out '^  zone +America/Los_Angeles'
expect_out 'a replay sorts in memory'
expect_out '^  median job +runs .* on 1 GPU'
expect_out '^  by hour '
expect_out '^  duplicate_rows +1$'
gsim trace info "$samples/philly.csv" --format philly --zone Asia/Shanghai
expect_out '\(as given\)'
expect_out '^  zone +Asia/Shanghai'
gsim trace info "$samples/philly.csv" --zone Mars/Olympus
expect_status 2
expect_err 'Mars/Olympus.*is not a time zone'

gsim trace info "$samples/philly.csv" --json
expect_status 0
expect 'figures are strings at the top' test "$(field "d['rows'] + ' ' + d['first_submit']")" = '41 2017-11-04 22:15:00'
expect 'all else is under trace' test "$(field "sorted(k for k, v in d.items() if not isinstance(v, str))")" = "['trace']"
expect 'the zone' test "$(field "d['trace']['zone'], d['trace']['format_guessed']")" = 'America/Los_Angeles True'
expect 'arrivals add up' test "$(field "sum(d['trace']['by_hour']), sum(d['trace']['by_weekday'])")" = '41 41'
gsim trace info "$samples/philly.csv" "$samples/jobs.swf" --json
expect_status 0
expect 'an array of two' test "$(field "[x['trace']['format'] for x in d]")" = "['philly', 'swf']"

printf 'timestamp,duration,num_gpus,gpu_time,cluster\n2017-11-05 01:30:00,60,1,60,a\n' >twice.csv
gsim trace info twice.csv
expect_out '1 local times happen twice'
gsim trace info twice.csv --ambiguous error
expect_status 2
expect_err "twice\.csv:2: column 'timestamp': .*happens twice in this zone"

# An unit that slipped: a run time in ms that is read as seconds.
printf 'submit,duration,gpus\n0,3600000,1\n1,7200000,1\n' >slip.csv
gsim trace info slip.csv
expect_out 'WARNING.*outside 1 s \.\. 30 d'

# Archives: the only file, or a named one.
mkdir two
cp "$samples/philly.csv" "$samples/jobs.swf" two/
printf junk >two/._philly.csv
tar -czf one.tar.gz -C two philly.csv ._philly.csv
gsim trace info one.tar.gz
expect_status 0
expect_out '^  rows +41$'
tar -czf two.tar.gz -C two .
gsim trace info two.tar.gz
expect_status 2
expect_err 'holds 2 files, say which: two\.tar\.gz:MEMBER \(.*jobs\.swf'
gsim trace info two.tar.gz:jobs.swf
expect_status 0
expect_out 'swf \(guessed'

# Names from a file do not reach the terminal as they are.
printf 'submit,duration,gpus,queue\n0,1,1,a\033[31mb\377\n' >escape.csv
gsim trace info escape.csv
expect_status 0
expect 'no escape sequence' test "$(tr -d -c '\033\377' <out | wc -c)" = 0
gsim trace info escape.csv --json
expect 'still JSON' test "$(field "d['queues']")" = 'a?[31mb?:1'

if command -v gnuplot >/dev/null; then
  gsim trace info "$samples/philly.csv" --plot charts
  expect_status 0
  for chart in durations sizes arrivals; do
    expect_file charts/philly.csv.$chart.svg
  done
  gsim trace info "$samples/mooncake.jsonl" --plot charts --plot-format png
  expect_status 0
  expect_file charts/mooncake.jsonl.durations.png
  expect_no_file charts/mooncake.jsonl.sizes.png
fi
finish
