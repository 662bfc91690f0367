#!/usr/bin/env bash
# What ends early leaves nothing that nobody asked for: a check no worker and no folder, a run that is told twice at once a valid file.
. "$(dirname "$0")/lib.sh"
mini
mkdir old new tmp
cat >module.c <<'C'
#include "gsim/policy.h"
static int create(struct gsp_ctx *c, const struct gsp_config *cfg, void **self)
{
    (void)c, (void)cfg, (void)self;
    return 0;
}
static void destroy(struct gsp_ctx *c, void *self) { (void)c, (void)self; }
static int order(void *self, struct gsp_ctx *c, const gsp_job *job, uint32_t n, int64_t *key)
{
    (void)self, (void)c, (void)job, (void)n, (void)key;
    for (volatile int i = 0; LOOP; i++) {}
    return 0;
}
static const struct gsp_ops ops = {.struct_size = sizeof ops, .create = create, .destroy = destroy, .order = order};
static const struct gsp_manifest manifest = {.struct_size = sizeof manifest, .magic = GSP_MAGIC, .abi_major = GSP_ABI_MAJOR,
    .abi_minor = GSP_ABI_MINOR, .min_host_minor = 9, .layout = GSP_LAYOUT, .id = "fifo", .ops = &ops};
const struct gsp_manifest *gsp_query(uint32_t a, uint32_t b) { (void)a, (void)b; return &manifest; }
C
for build in old:0 new:1; do
  "${CC:-cc}" -std=c11 -fPIC -shared -fvisibility=hidden -I "$source_dir/policies/include" -DLOOP=${build#*:} \
    -o ${build%:*}/gsp_fifo.so module.c || skip_all 'no compiler'
done

# A build that never comes back: the check is told to end, alone, and its worker ends with it.
set -m
for signal in TERM:143 INT:130 KILL:137; do
  last="gsim check, then SIG${signal%:*}"
  TMPDIR=$work/tmp "$GSIM" check mini.ini --against old/gsp_fifo.so new/gsp_fifo.so --junit out.xml >out 2>err </dev/null &
  check=$!
  workers=
  for _ in $(seq 50); do
    sleep 0.2
    workers=$(cat /proc/$check/task/$check/children 2>/dev/null) || skip_all 'no list of child processes'
    [ -n "$workers" ] && [ ! -e "$work/tmp/"gsim-check.*/0.h5.part ] && [ -e "$work/tmp/"gsim-check.*/0.h5 ] && break
  done
  expect 'it has a worker' test -n "$workers"
  kill -s "${signal%:*}" $check
  status=0
  wait $check || status=$?
  expect_status "${signal#*:}"
  for _ in $(seq 50); do
    kill -s 0 $workers 2>/dev/null || break
    sleep 0.2
  done
  expect 'no worker is left' sh -c "! kill -s 0 $workers"
  [ "${signal%:*}" = KILL ] || expect 'no folder is left' sh -c "! ls $work/tmp/gsim-check.*"
done

# timeout(1) sends its signal to the process and to its group.
if command -v timeout >/dev/null; then
  mini 3000000
  sed -i 's/^count = 2$/count = 200/; s|30/h|3000/h|' mini.ini
  status=0
  last='timeout 3 gsim run'
  timeout 3 "$GSIM" run mini.ini -o part.h5 >out 2>err </dev/null || status=$?
  expect_status 124
  expect_file part.h5
  expect_no_file part.h5.part
  expect_err 'complete = 0'
fi
# Nothing ever starts: the file says so with an empty table.
printf '[nodes a]\ntype = dgx-h100\ncount = 1\n[workload w]\ngpus = 16\ncount = 2\nduration = constant 1h\n' >none.ini
gsim none.ini -o none.h5
expect_status 0
h5 none.h5 <<'PY'
f = files[0]
assert len(f['jobs/id']) == 2 and all(len(c) == 0 for c in f['allocations'].values())
PY
finish
