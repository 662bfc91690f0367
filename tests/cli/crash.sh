#!/usr/bin/env bash
# A module that crashes, or never comes back, is named with its hook; no half of a results file stays behind.
. "$(dirname "$0")/lib.sh"
mini
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
    (void)self, (void)job, (void)n, (void)key;
    if (c->cycle > 20) {
        for (volatile int i = 0; LOOP; i++) {}
        *(volatile int *)8 = 1;
    }
    return 0;
}
static const struct gsp_ops ops = {.struct_size = sizeof ops, .create = create, .destroy = destroy, .order = order};
static const struct gsp_manifest manifest = {.struct_size = sizeof manifest, .magic = GSP_MAGIC, .abi_major = GSP_ABI_MAJOR,
    .abi_minor = GSP_ABI_MINOR, .min_host_minor = 9, .layout = GSP_LAYOUT, .id = ID, .ops = &ops};
const struct gsp_manifest *gsp_query(uint32_t a, uint32_t b) { (void)a, (void)b; return &manifest; }
C
for kind in 0 1; do
  "${CC:-cc}" -std=c11 -fPIC -shared -fvisibility=hidden -I "$source_dir/policies/include" -DLOOP=$kind "-DID=\"odd$kind\"" \
    -o gsp_odd$kind.so module.c || skip_all 'no compiler'
done
gsim run mini.ini -o a.h5 --policy-path . --set policy.order=odd0
case $status in
3) ;;
*) skip_all 'this build does not catch crashes' ;; # sanitizers and debug builds do it their own way
esac
expect_err "policy module 'odd0' crashed in order"
expect 'nothing is left' sh -c '! ls a.h5*'

last='a module that does not return'
"$GSIM" run mini.ini -o a.h5 --policy-path . --set policy.order=odd1 >out 2>err &
pid=$!
sleep 1
kill -TERM $pid
wait $pid
status=$?
expect_status 143
expect_err "policy module 'odd1' does not return from order"
expect 'nothing is left' sh -c '! ls a.h5*'
finish
