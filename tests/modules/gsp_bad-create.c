/* gsp_bad-create.c - no create. */
#define BAD_ID     "bad-create"
#define BAD_CREATE NULL
#include "bad.h"
