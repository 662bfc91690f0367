/* embedded.h - the CSV files of this folder as constants, generated at build time by embed.cmake;
 * each ends in a 0 that its length leaves out. */
#ifndef GS_HARDWARE_EMBEDDED_H
#define GS_HARDWARE_EMBEDDED_H

#include <stddef.h>

extern const char gs_csv_gpus[];
extern const size_t gs_csv_gpus_len;
extern const char gs_csv_servers[];
extern const size_t gs_csv_servers_len;

#endif
