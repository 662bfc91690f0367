#!/usr/bin/env bash
# gsim trace convert: what is written where, what is said to be lost, and that a failure leaves nothing behind.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
samples=$source_dir/traces/samples

# gsim's own CSV is the default and loses nothing; standard output holds nothing but the trace.
gsim trace convert "$samples/jobs.csv" -o jobs.csv
expect_status 0
expect 'standard output is empty' test ! -s out
expect_err 'jobs.csv: 40 records as gsim'
expect_err 'nothing was lost'
gsim trace convert jobs.csv -o -
expect_status 0
expect 'a second conversion changes nothing' cmp out jobs.csv
expect_err 'standard output: 40 records as gsim'

# What the target cannot hold is counted, and said even where the output is a pipe.
gsim trace convert "$samples/openb_pods.csv" --to swf -o pods.swf
expect_status 0
expect_err 'lost: [0-9]+ x a share of a GPU'
expect_err 'lost: [0-9]+ x jobs without a GPU: left out'
expect_err 'lost: [0-9]+ x memory'
expect 'a SWF header' grep -q '^; Version: 2.2' pods.swf
expect '18 fields a job' awk '!/^;/ && NF != 18 { exit 1 }' pods.swf
gsim -q trace convert pods.swf -o pods.csv
[ "$status" = 0 ] || gsim trace convert pods.swf -o pods.csv -q
expect_status 0
expect 'quiet' test ! -s err

# There and back, through a file that says itself that its processors are GPUs.
gsim trace convert pods.csv --to swf -o again.swf
gsim trace convert again.swf -o again.csv
expect_status 0
expect 'SWF holds what came from SWF' cmp pods.csv again.csv

# Without --to the ending of the name decides; one that --to contradicts is said.
gsim trace convert pods.csv -o ending.swf
expect_status 0
expect_err 'ending.swf: .* records as swf'
expect 'as with --to swf' cmp ending.swf again.swf
gsim trace convert pods.csv --to gsim -o odd.swf
expect_status 0
expect_err 'the name ends as files of another format do: --to said gsim'
gsim trace convert pods.csv --to swf -o pods.log
expect_status 0
expect 'no word about other endings' eval '! grep -q "the name ends" err'
gsim trace convert "$samples/mooncake.jsonl" -o ending.jsonl
expect 'mooncake by its ending' cmp ending.jsonl "$samples/mooncake.jsonl"
gsim trace convert "$samples/mooncake.jsonl" -o ending.swf
expect_status 2
expect_err 'holds calls, which swf cannot hold'
gsim trace convert "$samples/jobs.csv" -o ending.jsonl
expect_status 2
expect_err 'holds jobs, which mooncake cannot hold'

# Requests.
gsim trace convert "$samples/mooncake.jsonl" -o calls.csv
expect_status 0
expect_err 'as gsim-calls'
gsim trace convert calls.csv --to mooncake -o calls.jsonl
expect 'mooncake there and back' cmp calls.jsonl "$samples/mooncake.jsonl"
gsim trace convert "$samples/lmcache_agent_steps.csv" --to mooncake -o -
expect_err 'lost: 13 x calls measured in characters: left out'

# Wall clocks, by the zone that is asked for.
gsim trace convert "$samples/azure_llm_2023.csv" --clock --zone +01:00 -o -
expect_out '^2021-03-01T18:00:00\.[0-9]+\+01:00,'
gsim trace convert "$samples/azure_llm_2023.csv" -o -
expect_err 'lost: 1 x the date of the first record'

# Wrong usage and bad input are status 2, and leave nothing behind.
gsim trace convert "$samples/jobs.csv"
expect_status 2
gsim trace convert -o x.csv
expect_status 2
gsim trace convert "$samples/jobs.csv" --to xml -o x.csv
expect_status 2
expect_err 'known: gsim, swf, gsim-calls, mooncake'
expect_no_file x.csv
gsim trace convert "$samples/servegen-dataset.json" -o x.csv
expect_status 2
expect_no_file x.csv
gsim trace convert "$samples/jobs.csv" --ambiguous never -o x.csv
expect_status 2
printf 'submit,duration,gpus\n0,10,1\n1,ten,1\n' >bad.csv
echo before >kept.csv
gsim trace convert bad.csv -o kept.csv
expect_status 2
expect_err "bad.csv:3: column 'duration': 'ten' is not a number"
expect 'what was there is still there' grep -qx before kept.csv
gsim trace convert bad.csv --bad-rows skip -o kept.csv
expect_status 0
expect_err 'skipped: 1 x not a number'
expect 'one job' test "$(wc -l <kept.csv)" = 2
gsim trace convert "$samples/jobs.csv" -o no/such/folder.csv
expect_status 4
gsim trace convert "$samples/jobs.csv" -o /dev/null
expect_status 0
expect '/dev/null is what it was' test -c /dev/null
if [ -w /dev/full ]; then
  gsim trace convert "$samples/jobs.csv" -o /dev/full
  expect_status 4
  expect_err 'cannot write'
fi

# Onto its own source: read whole before the new file takes the name.
cp "$samples/jobs.csv" self.csv
gsim trace convert self.csv -o self.csv
expect_status 0
expect 'its own source' cmp self.csv jobs.csv

# A signal ends it, in whichever pass, and leaves nothing. (A machine so fast that it is done before is no failure.)
if command -v timeout >/dev/null; then
  awk 'BEGIN { print "submit,duration,gpus"; for (i = 0; i < 400000; i++) print (i * 7919) % 400000 ",10,1" }' >large.csv
  last='gsim trace convert large.csv, ended by SIGTERM'
  for after in 0.05 0.15 0.4; do
    status=0
    timeout -s TERM $after "$GSIM" trace convert large.csv --to swf -o large.swf >out 2>err || status=$?
    [ "$status" = 0 ] && break
    expect_status 124
    expect_no_file large.swf
  done
fi

# A metric file out of the archive that it is published in, beside the stray fork of another system.
if command -v tar >/dev/null; then
  cp "$samples/genai_metric.csv" metric.csv
  echo fork >._metric.csv
  tar czf metric.tar.gz ._metric.csv metric.csv
  gsim trace info metric.tar.gz
  expect_status 0
  expect_out 'genai-metric'
fi

# Which format: no file of another data set is taken for a request trace, and each request trace for its own.
format_of() { sed -n 's/^ *"format": "\([^"]*\)".*/\1/p' out | head -n 1; }
shared=${GSIM_SHARED:-$source_dir/../shared}
if [ -d "$shared/traces" ]; then
  while read -r path; do
    case ${path#"$shared/traces/"} in
    azure_llm_2023/*) want=azure-llm ;;
    mooncake/*) want=mooncake ;;
    vidur/*) want=vidur ;;
    servegen/*) want=servegen ;;
    alibaba_genai_v2026/lora_request*) want=genai ;;
    alibaba_genai_v2026/*) want=genai-metric ;;
    agentic/coding*) want=coding-agent ;;
    agentic/*) want=lmcache-agent ;;
    *) want= ;;
    esac
    gsim trace info --json "$path"
    got=$(format_of)
    case $got in
    azure-llm | burstgpt | mooncake | qwen | vidur | servegen | genai | genai-metric | coding-agent | lmcache-agent | gsim-calls) ;;
    *) got= ;;
    esac
    expect "$path is guessed as '$want', not '$got'" test "$got" = "$want"
  done < <(find "$shared/traces" -type f ! -name '*.md' ! -name CONTROL.tsv | sort)
  mooncake=$shared/traces/mooncake/conversation_trace.jsonl
  if [ -f "$mooncake" ]; then
    gsim trace convert "$mooncake" -o calls.csv
    gsim trace convert calls.csv --to mooncake -o calls.jsonl
    expect 'the real trace there and back' cmp calls.jsonl "$mooncake"
  fi
else
  echo 'note: no shared material: the real traces are not read'
fi
finish
