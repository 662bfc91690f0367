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

# A name that is no format, a table that no format takes.
gsim trace info "$samples/philly.csv" --format phily
expect_status 2
expect_err "'phily' is not a trace format: did you mean 'philly'\? \(gsim help formats"
expect 'a line, no list' test "$(wc -c <err)" -lt 200
printf '[scenario]\nname = x\n[trace t]\nfile = x.csv\nformat = phily\n' >phily.ini
gsim validate phily.ini
expect_status 2
expect_err "did you mean 'philly'"
printf 'submit,run,gpus\n0,1,1\n' >near.csv
gsim trace info near.csv
expect_status 2
expect_err "nearest is gsim: no column 'duration'\).*--format=NAME, in a scenario format = NAME"
printf 'timestamp,duration,num_gpus\n2017-11-05 01:30:00,60,1\n' >near.csv
gsim trace info near.csv
expect_err "nearest is philly: no column"
printf 'colour,taste\nred,sweet\n' >far.csv
gsim trace info far.csv
expect_err 'none of the known formats; if'

# A file that cannot be read does not keep the others from being told.
gsim trace info "$samples/philly.csv" far.csv none.csv "$samples/jobs.swf"
expect_status 2
expect_out 'philly\.csv: philly'
expect_out 'jobs\.swf: swf'
expect_err 'far\.csv: this is none'
expect_err 'none\.csv: no such file'
gsim trace info far.csv "$samples/jobs.swf" --json
expect_status 2
expect 'an array of the one that is' test "$(field "[x['trace']['format'] for x in d]")" = "['swf']"
gsim trace info far.csv --json
expect 'nothing of nothing' test ! -s out

# Large numbers are parted.
printf 'submit,duration,gpus\n0,3600,1000\n1,7200,1000\n' >hours.csv
gsim trace info hours.csv
expect_out '3,000 GPU-hours'
expect_out '^  between arrivals +1 s'

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
  expect_file charts/mooncake.jsonl.lengths.png
  expect_no_file charts/mooncake.jsonl.sizes.png
  gsim trace info "$samples/pai_machine.csv" --plot charts
  expect_status 0
  expect_err 'pai_machine.csv: nothing to draw'
  # Times of 0 s stand at the labelled end of the axis; of many sizes the largest shares have a name.
  awk 'BEGIN { print "submit,duration,gpus"; for (i = 0; i < 200; i++) print int(i / 4) ",60," 1 + i % 20 }' >many.csv
  gsim trace info many.csv "$samples/helios.csv" --plot charts
  expect_status 0
  expect 'an end that says so' grep -q '≤ 1 s' charts/many.csv.durations.svg
  expect 'an end that says so only where something lies there' eval '! grep -q "≤" charts/helios.csv.durations.svg'
  expect 'the others are summed' grep -q '>others<' charts/many.csv.sizes.svg
  # shellcheck disable=SC2016
  expect 'at most 12 names' eval 'test "$(grep -o "text-anchor=\"middle\"" charts/many.csv.sizes.svg | wc -l)" -le 14'
  expect 'weekdays have a scale of their own' test "$(grep -c '>evenly<' charts/philly.csv.arrivals.svg)" = 2
fi
finish
