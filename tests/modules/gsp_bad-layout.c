/* gsp_bad-layout.c - structs laid out in another way. */
#define BAD_ID     "bad-layout"
#define BAD_LAYOUT (GSP_LAYOUT ^ 1u)
#include "bad.h"
