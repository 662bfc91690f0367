#!/usr/bin/env bash
# [cost] and [power]: prices reach the table of nodes and the summary, what cannot be is refused with the reason.
. "$(dirname "$0")/lib.sh"

base() {
  printf '[nodes h]\ntype = dgx-h100\ncount = 2\n[workload w]\ncount = 4\nduration = 1h\ngpus = 8\n'
}

# Two nodes at 16.80 USD/h: two hours, for four jobs of an hour on a node each.
{ base; printf '[cost]\ngpu.H100-SXM5-80GB = 2.10USD/h\n'; } >plain.ini
gsim run plain.ini -o plain.h5
expect_status 0
expect_out '^cost, USD +67\.20$'
expect_out 'a useful GPU-hour +2\.10$'
expect_err 'nodes: 2 with host power assumed'

# 2 x (8 x 700 W + 1000 W) for two hours is 26.4 kWh; at PUE 1.5 and 0.10 USD/kWh 3.96 USD.
{ base; printf '[cost]\ngpu.H100-SXM5-80GB = 2.10USD/h\nenergy = 0.10USD/kWh\npue = 1.5\ncarbon = 100\n'; } >energy.ini
gsim run energy.ini -o energy.h5
expect_status 0
expect_out '^energy, kWh +39\.60$'
expect_out '^cost, USD +71\.16$'
expect_out '^carbon, kg +3\.96$'

# The bill of it: what was held is all of the 67.20 USD; lines sum to the cost, in whole nano-USD.
if /usr/bin/python3 -c 'import h5py' 2>/dev/null; then
  /usr/bin/python3 - energy.h5 >sums.txt <<'EOF'
import h5py, sys
found = []
h5py.File(sys.argv[1]).visititems(lambda name, x: found.append(x) if name.split('/')[-1] == 'bill' else None)
b = {k: v[:] for k, v in found[0].items()}
line = b['allocated'] + b['idle'] + b['energy'] + b['idle_energy']
print(b['allocated'].sum(), b['total'].sum(), (line == b['total']).all())
EOF
  [ "$(cat sums.txt)" = '67200000000 71160000000 True' ] || fail "the bill is $(cat sums.txt)"
fi

# A machine that was bought: 146,100 USD over 1,461 days are 100 USD a day.
{ base; printf '[cost]\ncapex.dgx-h100 = 146100USD\n'; } >own.ini
gsim run own.ini -o own.h5
expect_status 0
expect_out '^cost, USD +16\.67$'

# From the catalog.
sed 's/dgx-h100/p5.48xlarge/' plain.ini | sed 's/^gpu\..*/prices = catalog\ncloud = AWS\nregion = us-east-1/' >catalog.ini
gsim run catalog.ini -o catalog.h5
expect_status 0
expect_out '^cost, USD +220\.16$'

refused() {
  { base; printf '%b' "$1"; } >bad.ini
  gsim run bad.ini -o bad.h5
  expect_status 2
  expect_err "$2"
}
refused '[cost]\ngpu.A100-SXM4-80GB = 2USD/h\n' 'bad.ini:9: \[cost\] gpu.A100-SXM4-80GB: no node'
refused '[cost]\nenergy = 0.12\n' "'0.12' is not an amount in USD/kWh"
refused '[cost]\ncarbon = gcp:nowhere\n' "no region 'gcp:nowhere'"
refused '[cost]\nidle_to = me\n' "'me' is not one of none, quota, use, peak"
refused '[cost]\nprice.h = 99999999USD/h\n' 'ten million'
refused '[power]\ncap = 1MW\n' 'not yet supported'
refused '[nodes]\npower_cap = 100W\n' 'a cap of 100 W is no more than it draws without computing'
finish
