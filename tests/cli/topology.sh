#!/usr/bin/env bash
# Networks by rule and from files: what validate says of them, which levels the results have, what is refused.
. "$(dirname "$0")/lib.sh"

cat >base.ini <<'END'
[scenario]
horizon = 1d
[nodes n]
type = dgx-h100
count = 512
[network]
kind = rail
[workload w]
count = 10
gpus = 8
duration = constant 1h
END

gsim validate base.ini
expect_status 0
expect_out 'rail, 3 tiers of switches: 128 leaves, 128 spines, 64 cores; cables 4096, 4096, 4096'
gsim validate base.ini --set network.oversubscription=2
expect_out '128 leaves, 64 spines, 32 cores; cables 4096, 2048, 2048'
gsim validate base.ini --set nodes.n.count=4 --set network.kind=fat-tree
expect_out 'fat-tree, 1 tier of switches: 1 leaves'
gsim validate base.ini --set network.kind=torus --set network.dims=8x8x8
expect_out 'torus, 512 ports'
gsim validate base.ini --set network.kind=torus --set network.dims=8x8
expect_status 2
expect_err 'has 64 places for 512 nodes'
gsim validate base.ini --set network.kind=fat-tree --set network.tiers=2
expect_status 2
expect_err '2 tiers of 64-port switches'
gsim validate base.ini --set network.links=fast
expect_status 2
expect_err 'links'
gsim validate base.ini --set network.dims=8x8
expect_status 2
expect_err 'belongs to kind = torus'

cat >tree.conf <<'END'
# as scontrol shows it
SwitchName=s0 Nodes=n-[0-3] LinkSpeed=100
switchname=s1 nodes=n-[4-6]
SwitchName=top \
  Switches=s[0-1]
END
gsim run base.ini --set nodes.n.count=7 --set network.kind=file --set network.topology=tree.conf --set output.file=t.h5
expect_status 0
/usr/bin/python3 - <<'END' || fail 'levels of the file are columns of /cluster/nodes'
import h5py, sys
f = h5py.File("t.h5")
l = f["links"]
assert [l[k].asstr()[0] for k in ("from", "to", "level")] == ["n-0/rail-0", "s0", "nic"]
assert l["bytes_per_s"][0] == 50000000000 and len(l["id"]) == 2 * (7 * 8 + 2)
ok = list(f["cluster/nodes/leaf"].asstr()[:]) == ["s0"] * 4 + ["s1"] * 3
sys.exit(0 if ok else 1)
END
gsim validate base.ini --set nodes.n.count=9 --set network.kind=file --set network.topology=tree.conf
expect_err '2 nodes of the scenario are not in it'
sed 's/4-6/3-6/' tree.conf >twice.conf
gsim validate base.ini --set nodes.n.count=7 --set network.kind=file --set network.topology=twice.conf
expect_status 2
expect_err "twice.conf:3: node 'n-3' is in 's0' and in 's1'"
cat >dgx1.ini <<'END'
[scenario]
horizon = 1d
[nodes v]
type = dgx-1-v100
[policy]
placement = bestlink
[workload w]
count = 2
gpus = 2
duration = constant 1h
END
gsim run dgx1.ini --set output.file=b.h5
expect_status 0
gsim run dgx1.ini --set policy.placement=firstfit --set output.file=f.h5
expect_status 0
/usr/bin/python3 - <<'END' || fail 'bestlink takes pairs with two NVLinks, firstfit does not'
import h5py, sys
def pairs(name):
    a = h5py.File(name)["allocations"]
    return [sorted(int(g) for g, j in zip(a["gpu"], a["job"]) if j == job) for job in (0, 1)]
sys.exit(0 if pairs("b.h5") == [[0, 3], [1, 2]] and pairs("f.h5") == [[0, 1], [2, 3]] else 1)
END

finish
