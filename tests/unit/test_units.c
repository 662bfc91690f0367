/* test_units.c - every accepted spelling, every refused one with its message, clocks, and figures
 * for people. */
#include "sim/base/attr.h"
#include "sim/base/units.h"
#include "tests/unit/harness.h"

#include <math.h>

#define S        GS_SECOND
#define H        (3600 * S)
#define D        (24 * H)
#define COUNT(t) (sizeof(t) / sizeof((t)[0]))

static void times(void)
{
    static const struct {
        const char *text;
        int64_t ns;
    } good[] = {{"90s", 90 * S},
                {"15m", 900 * S},
                {"15min", 900 * S},
                {"2h", 2 * H},
                {"30d", 30 * D},
                {"1w", 7 * D},
                {"250ms", S / 4},
                {"3us", 3000},
                {"7ns", 7},
                {"0s", 0},
                {"0.1s", S / 10},
                {"1.5h", 3 * H / 2},
                {".5m", 30 * S},
                {"1h 30m", 3 * H / 2},
                {"1h30m", 3 * H / 2},
                {"2d 03:15", 2 * D + 3 * H + 15 * 60 * S},
                {"2d 03:15:07", 2 * D + 3 * H + 907 * S},
                {"2-03:15:00", 2 * D + 3 * H + 900 * S},
                {"2-03:15", 2 * D + 3 * H + 900 * S},
                {"2-03", 2 * D + 3 * H},
                {"03:15:00", 3 * H + 900 * S},
                {"0.3ns", 1}, /* work that is not zero takes time */
                {"2.5ns", 2}, /* half to even */
                {"3.5ns", 4},
                {"0.1234567891234567891s", 123456789},
                {"15000w", INT64_C(15000) * 7 * D}};

    for (size_t i = 0; i < COUNT(good); i++) {
        int64_t ns = -1;
        GS_EQ_INT(gs_parse_time(good[i].text, &ns, NULL), GS_OK);
        GS_EQ_INT(ns, good[i].ns);
    }

    static const struct {
        const char *text, *says;
    } bad[] = {{"90", "'90' is not a time (write 90s, 15m, 2h, 30d"},
               {"", "is not a time"},
               {"-5s", "is not a time"},
               {"5 apples", "is not a time"},
               {"1m 2h", "is not a time"},
               {"1h 2h", "is not a time"},
               {"1h 03:15", "is not a time"},
               {"03:15", "is not a time"},
               {"2d 25:00", "is not a time"},
               {"2-03:60", "is not a time"},
               {"1e3s", "is not a time"},
               {"5S", "is not a time"},
               {".s", "is not a time"},
               {"1.2.3s", "is not a time"},
               {"16000w", "is too long a time (at most 292 years)"},
               {"999999-00", "is too long a time"},
               {"15249w 6d 90h", "is too long a time"},
               {"99999999999999999999s", "is too long a time"},
               {"99999999999999999999999999s", "is not a time"}};

    for (size_t i = 0; i < COUNT(bad); i++) {
        int64_t ns = 0;
        struct gs_err err = {0};
        GS_EQ_INT(gs_parse_time(bad[i].text, &ns, &err), GS_E_INPUT);
        GS_HAS(err.msg, bad[i].says);
    }
}

static void whole_numbers(void)
{
    int64_t x = 0;
    struct gs_err err = {0};
    GS_EQ_INT(gs_parse_int("128", 1, 1000, &x, &err), GS_OK);
    GS_EQ_INT(x, 128);
    GS_EQ_INT(gs_parse_int("-9223372036854775808", INT64_MIN, INT64_MAX, &x, &err), GS_OK);
    GS_EQ_INT(x, INT64_MIN);
    GS_EQ_INT(gs_parse_int("9223372036854775807", INT64_MIN, INT64_MAX, &x, &err), GS_OK);
    GS_EQ_INT(x, INT64_MAX);

    static const struct {
        const char *text, *says;
    } bad[] = {{"twelve", "'twelve' is not a whole number"},
               {"", "'' is not a whole number"},
               {"1.5", "'1.5' is not a whole number"},
               {"0x10", "is not a whole number"},
               {" 1", "is not a whole number"},
               {"0", "'0' is too small (at least 1)"},
               {"-3", "'-3' is too small (at least 1)"},
               {"1001", "'1001' is too large (at most 1000)"},
               {"99999999999999999999999999999999999999999999", "is too large"}};

    for (size_t i = 0; i < COUNT(bad); i++) {
        GS_EQ_INT(gs_parse_int(bad[i].text, 1, 1000, &x, &err), GS_E_INPUT);
        GS_HAS(err.msg, bad[i].says);
    }
}

static enum gs_rc parse_memory(const char *s, double *out, struct gs_err *err)
{
    int64_t mib = 0;
    const enum gs_rc rc = gs_parse_memory(s, &mib, err);
    *out = (double)mib;
    return rc;
}

static enum gs_rc parse_share(const char *s, double *out, struct gs_err *err)
{
    uint32_t milli = 0;
    const enum gs_rc rc = gs_parse_share(s, &milli, err);
    *out = milli;
    return rc;
}

static enum gs_rc parse_bool(const char *s, double *out, struct gs_err *err)
{
    int value = -1;
    const enum gs_rc rc = gs_parse_bool(s, &value, err);
    *out = value;
    return rc;
}

/* All the others, one line a spelling; says != NULL means refused with that. */
static void other_quantities(void)
{
    static const struct {
        enum gs_rc (*parse)(const char *s, double *out, struct gs_err *err);
        const char *text;
        double want;
        const char *says;
    } table[] = {
        {gs_parse_real, "1.7", 1.7, NULL},
        {gs_parse_real, "-2e3", -2000, NULL},
        {gs_parse_real, "inf", 0, "'inf' is not a number"},
        {gs_parse_real, "nan", 0, "is not a number"},
        {gs_parse_real, "0x1p3", 0, "is not a number"},
        {gs_parse_real, "1e999", 0, "is not a number"},
        {gs_parse_real, "1,5", 0, "is not a number"},
        {gs_parse_real, "", 0, "is not a number"},
        {gs_parse_rate, "40/h", 40.0 / 3600, NULL},
        {gs_parse_rate, "2/s", 2, NULL},
        {gs_parse_rate, "3/ms", 3000, NULL},
        {gs_parse_rate, "40", 0, "'40' is not a rate (write 2/s, 30/m, 40/h or 100/d)"},
        {gs_parse_rate, "-1/h", 0, "is not a rate"},
        {gs_parse_rate, "4/fortnight", 0, "is not a rate"},
        {parse_memory, "80GiB", 81920, NULL},
        {parse_memory, "512MiB", 512, NULL},
        {parse_memory, "512 MiB", 512, NULL},
        {parse_memory, "0", 0, NULL},
        {parse_memory, "1.5TiB", 1572864, NULL},
        {parse_memory, "0.5MiB", 0, "'0.5MiB' is not a whole number of MiB"},
        {parse_memory, "80GB", 0,
         "'80GB' is not an amount of memory (write 512MiB, 80GiB or 1.5TiB)"},
        {parse_memory, "80", 0, "is not an amount of memory"},
        {parse_memory, "99999999999999999TiB", 0, "is too much memory"},
        {parse_share, "0.25", 250, NULL},
        {parse_share, "250m", 250, NULL},
        {parse_share, "1", 1000, NULL},
        {parse_share, "1000m", 1000, NULL},
        {parse_share, "0.0001", 0, "'0.0001' is finer than a thousandth of a GPU"},
        {parse_share, "0", 0, "'0' is no GPU at all"},
        {parse_share, "1001m", 0, "'1001m' is more than one GPU"},
        {parse_share, "half", 0, "'half' is not a share of a GPU (write 0.25 or 250m)"},
        {gs_parse_ratio, "80%", 0.8, NULL},
        {gs_parse_ratio, "0.8", 0.8, NULL},
        {gs_parse_ratio, "120%", 1.2, NULL},
        {gs_parse_ratio, "-1%", 0, "'-1%' is not a ratio (write 80% or 0.8)"},
        {gs_parse_ratio, "80%%", 0, "is not a ratio"},
        {gs_parse_money, "2.10USD/h", 2.10, NULL},
        {gs_parse_money, "2.10", 0, "'2.10' is not a price (write 2.10USD/h)"},
        {gs_parse_money, "2EUR/h", 0, "is not a price"},
        {gs_parse_power, "700W", 700, NULL},
        {gs_parse_power, "10.2kW", 10200, NULL},
        {gs_parse_power, "700", 0, "'700' is not a power (write 700W or 10.2kW)"},
        {gs_parse_bandwidth, "400Gb/s", 50e9, NULL},
        {gs_parse_bandwidth, "900GB/s", 900e9, NULL},
        {gs_parse_bandwidth, "400Gb", 0, "is not a bandwidth (write 400Gb/s or 900GB/s)"},
        {parse_bool, "yes", 1, NULL},
        {parse_bool, "off", 0, NULL},
        {parse_bool, "1", 1, NULL},
        {parse_bool, "false", 0, NULL},
        {parse_bool, "maybe", 0, "'maybe' is not yes or no"},
    };

    for (size_t i = 0; i < COUNT(table); i++) {
        double got = -1;
        struct gs_err err = {0};
        const enum gs_rc rc = table[i].parse(table[i].text, &got, &err);
        GS_EQ_INT(rc, table[i].says ? GS_E_INPUT : GS_OK);
        if (table[i].says)
            GS_HAS(err.msg, table[i].says);
        else
            GS_EQ_BITS(got, table[i].want);
    }
}

static void decimal_seconds_are_exact(void)
{
    static const struct {
        const char *text;
        int64_t ns;
    } good[] = {{"5683.069696", INT64_C(5683069696000)},
                {"0", 0},
                {"-1.5", -3 * S / 2},
                {"+2", 2 * S},
                {"12.", 12 * S},
                {"0.0000000005", 0},
                {"0.0000000015", 2},
                {"0.00000000050000000000000001", 1},
                {"9223372036.854775807", INT64_MAX},
                {"1600000000.123456789", INT64_C(1600000000123456789)}};

    for (size_t i = 0; i < COUNT(good); i++) {
        int64_t ns = -1;
        GS_EQ_INT(gs_parse_seconds(good[i].text, &ns, NULL), GS_OK);
        GS_EQ_INT(ns, good[i].ns);
    }
    static const char *const bad[] = {"", "-", ".", "1e5", "1s", "nan", " 1", "1 ", "--1", "1.2.3"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        int64_t ns = 0;
        struct gs_err err = {0};
        GS_EQ_INT(gs_parse_seconds(bad[i], &ns, &err), GS_E_INPUT);
        GS_HAS(err.msg, "is not a number of seconds");
    }
    int64_t ns = 0;
    struct gs_err err = {0};
    GS_EQ_INT(gs_parse_seconds("9223372036.854775808", &ns, &err), GS_E_INPUT);
    GS_HAS(err.msg, "beyond 292 years");
}

static void clocks_need_a_zone(void)
{
    static const struct {
        const char *text;
        int32_t offset_s;
        int64_t unix_s, ns;
    } good[] = {{"1970-01-01T00:00:00Z", GS_NO_ZONE, 0, 0},
                {"2026-01-05T00:00:00Z", GS_NO_ZONE, 1767571200, 0},
                {"2026-01-05T00:00:00+08:00", GS_NO_ZONE, 1767542400, 0},
                {"2026-01-05 00:00:00-0330", GS_NO_ZONE, 1767583800, 0},
                {"2026-01-05 00:00:00", 28800, 1767542400, 0},
                {"2026-01-05T00:00:00Z", 28800, 1767571200, 0},
                {"2024-02-29T23:59:59.25Z", GS_NO_ZONE, 1709251199, 250000000},
                {"2000-02-29T00:00:00Z", GS_NO_ZONE, 951782400, 0},
                {"1969-12-31T23:59:59.5Z", GS_NO_ZONE, -1, 500000000},
                {"1678-01-01T00:00:00Z", GS_NO_ZONE, -9214560000, 0},
                {"2261-12-31T23:59:59Z", GS_NO_ZONE, 9214646399, 0}};

    for (size_t i = 0; i < COUNT(good); i++) {
        int64_t ns = 0;
        GS_EQ_INT(gs_parse_clock(good[i].text, good[i].offset_s, &ns, NULL), GS_OK);
        GS_EQ_INT(ns, good[i].unix_s * S + good[i].ns);
    }

    static const struct {
        const char *text, *says;
    } bad[] = {{"2026-01-05T00:00:00", "has no zone (add Z or +08:00, or set zone)"},
               {"2026-02-29T00:00:00Z", "there is no such date"},
               {"1900-02-29T00:00:00Z", "there is no such date"},
               {"2026-13-01T00:00:00Z", "there is no such date"},
               {"2026-01-05T24:00:00Z", "there is no such date or time"},
               {"2026-01-05T23:59:60Z", "there is no such date or time"},
               {"1600-01-01T00:00:00Z", "the year is outside 1678 to 2261"},
               {"2026-01-05T00:00:00 CET", "' CET' is not a zone"},
               {"2026-01-05T00:00:00+25:00", "is not a zone"},
               {"2026-01-05T00:00:00Zx", "is not a zone"},
               {"2026-01-05T00:00:00.Z", "is not a wall clock time"},
               {"2026-01-05", "is not a wall clock time (write 2026-01-05T00:00:00Z"},
               {"5 Jan 2026", "is not a wall clock time"},
               {"", "is not a wall clock time"}};

    for (size_t i = 0; i < COUNT(bad); i++) {
        int64_t ns = 0;
        struct gs_err err = {0};
        GS_EQ_INT(gs_parse_clock(bad[i].text, GS_NO_ZONE, &ns, &err), GS_E_INPUT);
        GS_HAS(err.msg, bad[i].says);
    }
}

static void a_clock_that_is_shown_reads_back(void)
{
    static const int32_t offsets[] = {0, 28800, -12600};
    char text[64];
    for (int64_t day = -106000; day < 106000; day += 17) {
        const int64_t ns = (day * 86400 + 3661) * S + 120000000;
        const int32_t offset = offsets[(day + 106000) % 3];
        int64_t back = 0;
        GS_EQ_INT(
            gs_parse_clock(gs_show_clock(ns, offset, text, sizeof text), GS_NO_ZONE, &back, NULL),
            GS_OK);
        GS_EQ_INT(back, ns);
    }
    GS_EQ_STR(gs_show_clock(INT64_C(1767542400) * S, 28800, text, sizeof text),
              "2026-01-05T00:00:00+08:00");
    GS_EQ_STR(gs_show_clock(-500000000, 0, text, sizeof text), "1969-12-31T23:59:59.5Z");
}

static void figures_for_people(void)
{
    char b[64];

    static const struct {
        double seconds;
        const char *text;
    } t[] = {{0, "0 s"},
             {17, "17 s"},
             {0.25, "250 ms"},
             {2.5e-6, "2.5 us"},
             {3e-9, "3 ns"},
             {9000, "2.5 h"},
             {600, "10 min"},
             {-17, "-17 s"},
             {273600, "3 d 4 h"},
             {259200, "3 d"},
             {86400 * 365.0, "365 d"},
             {(double)INFINITY, "never"},
             {(double)NAN, "unknown"}};

    for (size_t i = 0; i < COUNT(t); i++)
        GS_EQ_STR(gs_show_time(t[i].seconds, b, sizeof b), t[i].text);

    static const struct {
        int64_t n;
        const char *text;
    } c[] = {{0, "0"},
             {999, "999"},
             {1000, "1,000"},
             {12345, "12,345"},
             {-1234567, "-1,234,567"},
             {-123, "-123"},
             {INT64_MIN, "-9,223,372,036,854,775,808"}};

    for (size_t i = 0; i < COUNT(c); i++)
        GS_EQ_STR(gs_show_count(c[i].n, b, sizeof b), c[i].text);
    GS_EQ_STR(gs_show_bytes(1.5 * 1024 * 1024 * 1024, b, sizeof b), "1.5 GiB");
    GS_EQ_STR(gs_show_bytes(512, b, sizeof b), "512 B");
    GS_EQ_STR(gs_show_bytes(1023.0 * 1024, b, sizeof b), "1023 KiB");
}

static void did_you_mean(void)
{
    static const char *const keys[] = {"count",    "type", "memory", "queue",
                                       "duration", "gpus", "gpu"};

    static const struct {
        const char *typed, *near;
    } table[] = {
        {"cuont", "count"},       {"memroy", "memory"}, {"Queue", "queue"}, {"gpsu", "gpus"},
        {"duratoin", "duration"}, {"gp", "gpu"},        {"zzz", NULL},      {"", NULL},
        {"backfill", NULL},       {"tpye", "type"}};

    for (size_t i = 0; i < COUNT(table); i++)
        GS_EQ_STR(gs_nearest(table[i].typed, keys, COUNT(keys)), table[i].near);
}

static const struct gs_test tests[] = {
    {"times", times},
    {"whole numbers", whole_numbers},
    {"other quantities", other_quantities},
    {"decimal seconds", decimal_seconds_are_exact},
    {"clocks need a zone", clocks_need_a_zone},
    {"a clock reads back", a_clock_that_is_shown_reads_back},
    {"figures for people", figures_for_people},
    {"did you mean", did_you_mean},
};
GS_TEST_MAIN("base/units", tests)
