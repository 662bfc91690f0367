/* test_zone.c - time zones: the hour that happens twice, the one that never does, both hemispheres, and what is no zone. */
#include "sim/base/units.h"
#include "sim/base/zone.h"
#include "tests/unit/harness.h"

static int64_t clock_ns(const char *text)
{
    int64_t ns = 0;
    CU_ASSERT_EQUAL_FATAL(gs_parse_clock(text, 0, &ns, NULL), GS_OK);
    return ns;
}

static struct gs_zone zone(const char *name)
{
    struct gs_zone z;
    struct gs_err err = {0};
    CU_ASSERT_EQUAL_FATAL(gs_zone_parse(name, &z, &err), GS_OK);
    GS_EQ_STR(z.name, name);
    return z;
}

static void local_times_are_placed(void)
{
    static const struct {
        const char *zone, *local, *earlier, *later;
        enum gs_local_kind kind;
    } cases[] = {
        {"UTC", "2017-11-05 01:30:00", "2017-11-05T01:30:00Z", NULL, GS_LOCAL_PLAIN},
        {"+08:00", "2017-11-05 01:30:00", "2017-11-04T17:30:00Z", NULL, GS_LOCAL_PLAIN},
        {"-0330", "2017-11-05 01:30:00", "2017-11-05T05:00:00Z", NULL, GS_LOCAL_PLAIN},
        {"America/Los_Angeles", "2017-11-04 12:00:00", "2017-11-04T19:00:00Z", NULL,
         GS_LOCAL_PLAIN},
        {"America/Los_Angeles", "2017-11-05 00:59:59", "2017-11-05T07:59:59Z", NULL,
         GS_LOCAL_PLAIN},
        {"America/Los_Angeles", "2017-11-05 01:00:00", "2017-11-05T08:00:00Z",
         "2017-11-05T09:00:00Z", GS_LOCAL_AMBIGUOUS},
        {"America/Los_Angeles", "2017-11-05 01:59:59.5", "2017-11-05T08:59:59.5Z",
         "2017-11-05T09:59:59.5Z", GS_LOCAL_AMBIGUOUS},
        {"America/Los_Angeles", "2017-11-05 02:00:00", "2017-11-05T10:00:00Z", NULL,
         GS_LOCAL_PLAIN},
        {"America/Los_Angeles", "2018-03-11 01:59:59", "2018-03-11T09:59:59Z", NULL,
         GS_LOCAL_PLAIN},
        {"America/Los_Angeles", "2018-03-11 02:30:00", "2018-03-11T10:30:00Z", NULL,
         GS_LOCAL_MISSING},
        {"America/Los_Angeles", "2018-03-11 03:00:00", "2018-03-11T10:00:00Z", NULL,
         GS_LOCAL_PLAIN},
        {"PST8PDT,M3.2.0,M11.1.0", "2017-11-05 01:00:00", "2017-11-05T08:00:00Z",
         "2017-11-05T09:00:00Z", GS_LOCAL_AMBIGUOUS},
        {"Europe/Berlin", "2021-10-31 02:15:00", "2021-10-31T00:15:00Z", "2021-10-31T01:15:00Z",
         GS_LOCAL_AMBIGUOUS},
        {"Europe/London", "2021-03-28 01:30:00", "2021-03-28T01:30:00Z", NULL, GS_LOCAL_MISSING},
        {"Europe/Helsinki", "2021-07-01 12:00:00", "2021-07-01T09:00:00Z", NULL, GS_LOCAL_PLAIN},
        {"Australia/Sydney", "2021-01-15 12:00:00", "2021-01-15T01:00:00Z", NULL, GS_LOCAL_PLAIN},
        {"Australia/Sydney", "2021-07-15 12:00:00", "2021-07-15T02:00:00Z", NULL, GS_LOCAL_PLAIN},
        {"Australia/Sydney", "2021-04-04 02:30:00", "2021-04-03T15:30:00Z", "2021-04-03T16:30:00Z",
         GS_LOCAL_AMBIGUOUS},
        {"Australia/Sydney", "2021-10-03 02:30:00", "2021-10-02T16:30:00Z", NULL, GS_LOCAL_MISSING},
        {"Asia/Kolkata", "2021-01-01 00:00:00", "2020-12-31T18:30:00Z", NULL, GS_LOCAL_PLAIN},
        {"Asia/Shanghai", "2020-08-01 00:00:00", "2020-07-31T16:00:00Z", NULL, GS_LOCAL_PLAIN},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct gs_zone z = zone(cases[i].zone);
        const int64_t local = clock_ns(cases[i].local);
        enum gs_local_kind kind;
        GS_EQ_INT(gs_zone_unix(&z, local, GS_AMBIGUOUS_EARLIER, &kind), clock_ns(cases[i].earlier));
        GS_EQ_INT(kind, cases[i].kind);
        GS_EQ_INT(gs_zone_unix(&z, local, GS_AMBIGUOUS_LATER, &kind),
                  clock_ns(cases[i].later ? cases[i].later : cases[i].earlier));
        GS_EQ_INT(gs_zone_unix(&z, local, GS_AMBIGUOUS_ERROR, &kind), clock_ns(cases[i].earlier));
    }
}

static void what_is_no_zone_is_refused(void)
{
    static const char *const bad[] = {"",
                                      "PST",
                                      "Mars/Olympus",
                                      "+8",
                                      "+24:00",
                                      "+08:60",
                                      "+08:00x",
                                      "PST8PDT",
                                      "PST8PDT,M3.2.0",
                                      "PST8PDT,M13.2.0,M11.1.0",
                                      "PST8PDT,M3.6.0,M11.1.0",
                                      "PST8PDT,M3.2.7,M11.1.0",
                                      "<",
                                      "<+03",
                                      "PST8PDT,M3.2.0,M11.1.0,",
                                      "P8",
                                      "PST25",
                                      "PST8PDT9,M3.2.0,M11.1.0"};

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct gs_zone z;
        struct gs_err err = {0};
        GS_EQ_INT(gs_zone_parse(bad[i], &z, &err), GS_E_INPUT);
        GS_HAS(err.msg, "is not a time zone");
        GS_EQ_STR(z.name, "");
    }
    struct gs_zone z;
    struct gs_err err = {0};
    GS_EQ_INT(gs_zone_parse("America/Los_Angels", &z, &err), GS_E_INPUT);
    GS_HAS(err.msg, "did you mean 'America/Los_Angeles'");
}

/* Every half hour of a year, in every zone: local and back, straight and by stretches. */
static void there_and_back_for_a_year(void)
{
    static char names[8192];
    (void)snprintf(names, sizeof names, "%s", gs_zone_names());
    unsigned zones = 0;
    unsigned wrong = 0;
    unsigned twice = 0;
    const int64_t from = clock_ns("2023-01-01T00:00:00Z");
    for (char *name = names; *name; zones++) {
        char *end = name + strcspn(name, ",");
        char *next = *end ? end + 2 : end;
        *end = '\0';
        const struct gs_zone z = zone(name);
        struct gs_zone_stretch near = {0};
        for (int64_t i = 0; i < INT64_C(365) * 48; i++) {
            const int64_t t = from + i * 1800 * GS_SECOND;
            const int64_t local = gs_zone_local(&z, t);
            enum gs_local_kind kind;
            enum gs_local_kind again;
            const int64_t back = gs_zone_unix(&z, local, GS_AMBIGUOUS_EARLIER, &kind);
            const int64_t late = gs_zone_unix(&z, local, GS_AMBIGUOUS_LATER, &kind);
            wrong += back != t && late != t;
            wrong += (back != late) != (kind == GS_LOCAL_AMBIGUOUS);
            wrong += kind == GS_LOCAL_MISSING;
            twice += kind == GS_LOCAL_AMBIGUOUS;
            wrong += gs_zone_unix_near(&z, &near, local, GS_AMBIGUOUS_EARLIER, &again) != back;
            wrong += again != kind;
        }
        name = next;
    }
    GS_EQ_INT(wrong, 0);
    CU_ASSERT_TRUE(zones >= 40);
    CU_ASSERT_TRUE(twice > 0);
}

static void a_fixed_offset_has_a_name(void)
{
    GS_EQ_STR(gs_zone_fixed(0).name, "UTC");
    GS_EQ_STR(gs_zone_fixed(19800).name, "+05:30");
    GS_EQ_STR(gs_zone_fixed(-12600).name, "-03:30");
    struct gs_zone z = zone("America/New_York");
    GS_EQ_INT(gs_zone_rule_from(&z), clock_ns("2007-01-01T00:00:00Z"));
    z = zone("+01:00");
    GS_EQ_INT(gs_zone_rule_from(&z), INT64_MIN);
}

static const struct gs_test tests[] = {{"local times are placed", local_times_are_placed},
                                       {"what is no zone is refused", what_is_no_zone_is_refused},
                                       {"there and back for a year", there_and_back_for_a_year},
                                       {"fixed offsets", a_fixed_offset_has_a_name}};
GS_TEST_MAIN("base/zone", tests)
