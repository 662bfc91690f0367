/* gsp_bad-magic.c - another magic number. */
#define BAD_ID    "bad-magic"
#define BAD_MAGIC 0x21212121u
#include "bad.h"
