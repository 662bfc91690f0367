#!/bin/sh
# flags.sh BUILD... - nothing in these build folders was compiled with flags that make figures depend on the machine.
cd "$(dirname "$0")/../.." || exit 1
bad=0
for build in "${@:-build/release}"; do
  commands=$build/compile_commands.json
  [ -f "$commands" ] || continue
  if grep -nE -e '-ffast-math|-Ofast|-funsafe-math|-march=|-mtune=native|-ffp-contract=(fast|on)' "$commands"; then
    echo "$commands: a forbidden flag"
    bad=1
  fi
  if grep '"command"' "$commands" | grep -v -e '-ffp-contract=off'; then
    echo "$commands: compiled without -ffp-contract=off"
    bad=1
  fi
done
exit $bad
