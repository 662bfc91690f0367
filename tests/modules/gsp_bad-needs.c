/* gsp_bad-needs.c - needs something unheard of. */
#define BAD_ID    "bad-needs"
#define BAD_NEEDS (UINT64_C(1) << 40)
#include "bad.h"
