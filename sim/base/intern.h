/* intern.h - strings as dense 32-bit ids, in order of first use; id 0 is the empty string.
 *
 * Equal strings have equal ids; ids depend only on the order of insertion, never on hashes. O(1) expected. */
#ifndef GS_BASE_INTERN_H
#define GS_BASE_INTERN_H

#include "sim/base/mem.h"

#include <stddef.h>
#include <stdint.h>

struct gs_intern {
    struct gs_arena text;
    const char **str; /* [n] */
    uint32_t *slots;  /* open addressing, power of two, id+1 or 0 */
    uint32_t n, cap, nslots;
};

void gs_intern_init(struct gs_intern *t); /* holds "" as id 0 */
void gs_intern_release(struct gs_intern *t);
uint32_t gs_intern(struct gs_intern *t, const char *s);               /* adds if new */
uint32_t gs_intern_n(struct gs_intern *t, const char *s, size_t len); /* the same for s[0..len) */
uint32_t gs_intern_find(const struct gs_intern *t, const char *s);    /* GS_NONE if absent */
const char *gs_intern_str(const struct gs_intern *t, uint32_t id);    /* gs_require(id < n) */

#endif
