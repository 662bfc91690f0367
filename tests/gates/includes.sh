#!/bin/sh
# Includes go down: each #include "..." of a room names its own room or one that rooms.txt allows it, every named
# file exists, and no file includes itself by whatever way.
cd "$(dirname "$0")/../.." || exit 1
tests/gates/files.sh '*.c' '*.h' | xargs -r grep -Hn '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' /dev/null | awk '
  function fail(text) { print text; bad = 1 }
  function room_of(path,    best, f) {
    best = ""
    for (f in room)
      if (index(path, f "/") == 1 && length(f) > length(best)) best = f
    return best == "" ? "" : room[best]
  }
  function exists(path) {
    if (!(path in there)) there[path] = (system("test -f \"" path "\"") == 0)
    return there[path]
  }
  function resolve(from, name,    dir) {
    dir = from; sub(/[^\/]*$/, "", dir)
    if (exists(dir name)) return dir name
    if (exists(name)) return name
    if (exists("policies/include/" name)) return "policies/include/" name
    if (exists("policies/lib/" name)) return "policies/lib/" name
    return ""
  }
  BEGIN {
    table = "tests/gates/rooms.txt"
    while ((getline line < table) > 0) {
      if (line ~ /^#/ || line ~ /^[ \t]*$/) continue
      n = split(line, w, /[ \t]+/)
      room[w[2]] = w[1]; known[w[1]] = 1; may[w[1], w[1]] = 1
      for (i = 4; i <= n; i++) {
        if (w[i] == "") continue
        if (!(w[i] in known)) fail(table ": " w[1] " names " w[i] ", which is not above it")
        may[w[1], w[i]] = 1
      }
    }
  }
  {
    split($0, part, ":"); file = part[1]
    match($0, /"[^"]*"/); name = substr($0, RSTART + 1, RLENGTH - 2)
    target = resolve(file, name)
    if (target == "") { fail(file ":" part[2] ": \"" name "\" is no file of the repository"); next }
    while (target ~ /[^\/.]+\/\.\.\//) sub(/[^\/.]+\/\.\.\//, "", target)
    from = room_of(file); to = room_of(target)
    if (from == "") fail(file ": lies in no room of rooms.txt")
    else if (!((from, to) in may)) fail(file ":" part[2] ": " from " may not include " to " (\"" name "\")")
    edges++; tail[edges] = file; head[edges] = target; node[file] = 1; node[target] = 1
  }
  END {
    # Take away files that include nothing that is left, until nothing changes: what stays is on or above a cycle.
    do {
      changed = 0
      split("", busy)
      for (e = 1; e <= edges; e++) if ((tail[e] in node) && (head[e] in node)) busy[tail[e]] = 1
      for (f in node) if (!(f in busy)) { delete node[f]; changed = 1 }
    } while (changed)
    for (f in node) if (f ~ /\.h$/) fail(f ": is on, or includes, a cycle of includes")
    exit bad
  }'
