/* mig_help.h - geometries for tests, written down from the placement lists so that they do not hang on the catalog. */
#ifndef GS_TESTS_MIG_HELP_H
#define GS_TESTS_MIG_HELP_H

#include "sim/hardware/mig.h"

/* Profiles of a7: bits for gs_mig_count's `only`. */
enum {
    A7_1G,
    A7_1G_ME,
    A7_1G_DOUBLE,
    A7_2G,
    A7_3G,
    A7_4G,
    A7_7G,
    A7_CORE = 1 << A7_1G | 1 << A7_2G | 1 << A7_3G | 1 << A7_4G | 1 << A7_7G,
    A7_ALL = (1 << 7) - 1
};

static const struct gs_mig_geometry a7 = {
    .name = "A100-40GB",
    .slices = 8,
    .compute = 7,
    .n = 7,
    .p = {{.name = "1g.5gb", .compute = 1, .size = 1, .most = 7, .starts = 0x7f, .id = 1},
          {.name = "1g.5gb+me",
           .compute = 1,
           .size = 1,
           .most = 1,
           .starts = 0x7f,
           .id = 2,
           .media = GS_MIG_MEDIA_ME},
          {.name = "1g.10gb", .compute = 1, .size = 2, .most = 4, .starts = 0x55, .id = 3},
          {.name = "2g.10gb", .compute = 2, .size = 2, .most = 3, .starts = 0x15, .id = 4},
          {.name = "3g.20gb", .compute = 3, .size = 4, .most = 2, .starts = 0x11, .id = 5},
          {.name = "4g.20gb", .compute = 4, .size = 4, .most = 1, .starts = 0x01, .id = 6},
          {.name = "7g.40gb", .compute = 7, .size = 8, .most = 1, .starts = 0x01, .id = 7}}};

/* A30 without its +me: also that of RTX PRO but for the width of a slice. */
static const struct gs_mig_geometry a4 = {
    .name = "A30",
    .slices = 4,
    .compute = 4,
    .n = 3,
    .p = {{.name = "1g.6gb", .compute = 1, .size = 1, .most = 4, .starts = 0xf, .id = 8},
          {.name = "2g.12gb", .compute = 2, .size = 2, .most = 2, .starts = 0x5, .id = 9},
          {.name = "4g.24gb", .compute = 4, .size = 4, .most = 1, .starts = 0x1, .id = 10}}};

static const struct gs_mig_geometry rtx = {
    .name = "RTX-PRO-6000",
    .slices = 12,
    .compute = 4,
    .n = 6,
    .p = {{.name = "1g.24gb", .compute = 1, .size = 3, .most = 4, .starts = 0x249},
          {.name = "2g.48gb", .compute = 2, .size = 6, .most = 2, .starts = 0x41},
          {.name = "4g.96gb", .compute = 4, .size = 12, .most = 1, .starts = 0x1},
          {.name = "1g.24gb+me",
           .compute = 1,
           .size = 3,
           .most = 1,
           .starts = 0x249,
           .media = GS_MIG_MEDIA_ME},
          {.name = "1g.24gb+me.all",
           .compute = 1,
           .size = 3,
           .most = 1,
           .starts = 0x249,
           .media = GS_MIG_MEDIA_ALL},
          {.name = "1g.24gb-me",
           .compute = 1,
           .size = 3,
           .most = 4,
           .starts = 0x249,
           .media = GS_MIG_MEDIA_NONE}}};

#endif
