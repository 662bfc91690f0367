/* embedded.h - the CSV files of this folder as constants, generated at build time by embed.cmake;
 * each ends in a 0 that its length leaves out. */
#ifndef GS_HARDWARE_EMBEDDED_H
#define GS_HARDWARE_EMBEDDED_H

#include "sim/hardware/catalog.h"

#include <stddef.h>

#define X(code, name, record)          \
    extern const char gs_csv_##name[]; \
    extern const size_t gs_csv_##name##_len;
GS_CATALOG_TABLES(X)
#undef X

#endif
