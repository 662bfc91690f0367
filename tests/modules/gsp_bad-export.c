/* gsp_bad-export.c - exports something else. */
#define BAD_ID    "bad-export"
#define BAD_QUERY gsp_quarry
#include "bad.h"
