#!/usr/bin/env bash
# Help: every command explains itself on standard output, with an example, and exits 0.
. "$(dirname "$0")/lib.sh"

gsim --help
expect_status 0
expect_out 'gsim'
expect_out 'run'
expect_out 'validate'

gsim help
expect_status 0
expect_out 'run'

gsim --version
expect_status 0
expect_out '^gsim 0\.1\.0'

for command in run validate plot 'trace info' 'policy list' 'policy show' catalog reproduce; do
  # shellcheck disable=SC2086  # two words
  gsim $command --help
  expect_status 0
  expect_out "gsim ${command%% *}"
  expect_out '[Ee]xample'
done
for command in run validate plot trace policy catalog reproduce; do
  gsim help $command
  expect_status 0
  expect_out "gsim $command"
done

# Keys and metrics come from the tables that the program itself uses.
gsim help metrics
expect_status 0
expect_out 'jobs\.wait'
gsim help horizon
expect_status 0
expect_out 'horizon'
gsim help jobs.wait
expect_status 0
gsim help load # a metric and a key
expect_status 0
expect_out '^load.offered'
expect_out '^\[trace NAME\] load:'

# Traces: the command, the section and the formats lead to each other.
gsim --help
expect_out '^  gsim trace +info\|convert\|generate\|fit '
gsim help trace
expect_out "gsim help '\[trace\]'"
expect_out 'gsim help formats'
gsim help '[trace]'
expect_status 0
expect_out 'gsim help trace'
gsim help formats
expect_status 0
expect_out '^philly +jobs +America/Los_Angeles +Microsoft Philly'
expect_out '^mooncake +requests +- '
expect_out '^openb-nodes +info +- '
cp out formats
gsim trace info --help
expect_out 'gsim help formats'

# What a format is said to hold is what `gsim trace info` finds in its samples.
for sample in "$source_dir"/traces/samples/*.*; do
  gsim trace info --json "$sample"
  [ "$status" = 0 ] || continue
  found=$(sed -n 's/^ *"format": "\([^"]*\)".*/\1/p' out | head -n 1)
  jobs=$(sed -n 's/^ *"jobs": \([0-9]*\),*$/\1/p' out | tail -n 1)
  calls=$(sed -n 's/^ *"requests": \([0-9]*\),*$/\1/p' out | tail -n 1)
  said=$(awk -v f="$found" '$1 == f { print $2; exit }' formats)
  case $said in
  jobs) expect "$found holds jobs, $sample has none" test "$jobs" -gt 0 ;;
  requests) expect "$found holds requests, $sample has jobs" test "$jobs" = 0 ;;
  info) expect "$found holds nothing to replay, $sample does" test "$jobs" = 0 -a "$calls" = 0 ;;
  *) expect "$found stands in the table" false ;;
  esac
done

# Tables of the documents: a head, a line of dashes, and as many cells in each row; a blank line inside would start a table
# without a head.
check_tables() {
  awk '
    function cells(s) { gsub(/\\\|/, "", s); return gsub(/\|/, "", s) }
    FNR == 1 { row = 0; code = 0 }
    /^```/ { code = !code }
    code || !/^\|/ { if (row == 1) bad("no line of dashes"); row = 0; next }
    { row++ }
    row == 1 { want = cells($0); next }
    row == 2 && !/^\|[-:| ]+\|$/ { bad("no head, or a blank line inside a table") }
    cells($0) != want { bad(cells($0) - 1 " cells, the head has " want - 1) }
    function bad(what) { print FILENAME ":" FNR ": " what; n++ }
    END { exit n > 0 }' "$@"
}
last='tables of the documents'
expect 'tables render' check_tables "$source_dir/README.md" "$source_dir/traces/README.md" "$source_dir/policies/README.md"
printf '| a | b |\n| - | - |\n| 1 | 2 |\n\n| 3 | 4 |\n| 5 | 6 |\n' >torn.md
printf '| a | b |\n| - | - |\n| 1 | 2 | 3 |\n' >wide.md
expect 'the gate sees a blank line' eval '! check_tables torn.md'
expect 'the gate sees a cell too many' eval '! check_tables wide.md'

gsim help no-such-thing
expect_status 2
expect_err 'no-such-thing'
finish
