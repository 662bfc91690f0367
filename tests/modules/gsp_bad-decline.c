/* gsp_bad-decline.c - wants no part of this host. */
#define BAD_ID     "bad-decline"
#define BAD_ANSWER NULL
#include "bad.h"
