#!/bin/sh
# No file calls a name of banned.txt, leaves a TODO, or names a folder of the machine that it was written on.
cd "$(dirname "$0")/../.." || exit 1
bad=0
# shellcheck disable=SC2016  # awk's own variables
tests/gates/files.sh '*.c' '*.h' | xargs -r awk '
  function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
  # The line without strings, characters and comments; in_comment carries over to the next line.
  function code(s,    out, c) {
    out = ""
    while (s != "") {
      if (in_comment) {
        if ((c = index(s, "*/")) == 0) return out
        s = substr(s, c + 2); in_comment = 0; continue
      }
      if (match(s, /\/\*|\/\/|"|\x27/) == 0) return out s
      c = substr(s, RSTART, RLENGTH); out = out substr(s, 1, RSTART - 1); s = substr(s, RSTART + RLENGTH)
      if (c == "/*") in_comment = 1
      else if (c == "//") return out
      else if (c == "\"") { match(s, /^([^"\\]|\\.)*"/); s = substr(s, RLENGTH + 1); out = out "\"\"" }
      else { match(s, /^([^\x27\\]|\\.)*\x27/); s = substr(s, RLENGTH + 1); out = out "0" }
    }
    return out
  }
  BEGIN {
    table = "tests/gates/banned.txt"
    while ((getline line < table) > 0) {
      if (line ~ /^#/ || line ~ /^[ \t]*$/) continue
      # " | " parts the columns, "|" alone parts the names.
      k = split(line, w, / \| /); rules++
      name[rules] = "(^|[^A-Za-z0-9_.>])(" trim(w[1]) ")[ \t]*\\("
      where[rules] = trim(w[2]); except[rules] = trim(w[3]); why[rules] = trim(w[4])
    }
  }
  FNR == 1 {
    in_comment = 0; active = 0
    for (r = 1; r <= rules; r++)
      if (FILENAME ~ where[r] && !(except[r] != "-" && FILENAME ~ except[r])) use[++active] = r
  }
  /(^|[^A-Za-z0-9])(TODO|FIXME|XXX)([^A-Za-z0-9]|$)/ { print FILENAME ":" FNR ": unfinished: " $0; bad = 1 }
  {
    text = code($0)
    if (text !~ /\(/ || text ~ /^[ \t]*#[ \t]*(pragma|include)/) next
    for (i = 1; i <= active; i++) {
      r = use[i]
      if (match(text, name[r])) {
        word = substr(text, RSTART, RLENGTH); gsub(/[^A-Za-z0-9_]/, "", word)
        print FILENAME ":" FNR ": " word "(): " why[r]; bad = 1
      }
    }
  }
  END { exit bad }' || bad=1
if tests/gates/files.sh '*' | grep -v '^tests/gates/banned.sh$' |
  xargs -r grep -nIE '(^|[^A-Za-z0-9_./-])/(work|home|root|tmp/gsim)/'; then
  echo 'these lines name folders of one machine'
  bad=1
fi
exit $bad
