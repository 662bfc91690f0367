/* test_catalog.c - the hardware catalog: the compiled-in tables are whole, a user's file replaces
 * and adds, bad files say where and what. */
#include "sim/hardware/catalog.h"
#include "sim/hardware/table.h"
#include "tests/unit/harness.h"

#include <math.h>

static struct gs_catalog load(const char *path)
{
    struct gs_catalog c;
    struct gs_err err;
    if (gs_catalog_load(&c, path, &err) != GS_OK)
        CU_FAIL_FATAL("the catalog does not load");
    return c;
}

static void compiled_in_tables_load(void)
{
    struct gs_catalog c = load(NULL);
    CU_ASSERT(c.ngpus >= 34);
    CU_ASSERT(c.nservers >= 38);
    gs_catalog_release(&c);
    GS_EQ_INT(c.ngpus, 0);
}

static void names_are_unique_with_aliases(void)
{
    struct gs_catalog c = load(NULL);
    for (size_t i = 0; i < c.nservers; i++) {
        char aliases[256];
        (void)snprintf(aliases, sizeof aliases, "%s", c.servers[i].aliases);
        CU_ASSERT_PTR_EQUAL(gs_catalog_server(&c, c.servers[i].name), &c.servers[i]);
        char *rest = aliases;
        while (*rest) {
            char *word = rest;
            rest += strcspn(rest, "|");
            if (*rest)
                *rest++ = '\0';
            CU_ASSERT_PTR_EQUAL(gs_catalog_server(&c, word), &c.servers[i]);
        }
    }
    for (size_t i = 0; i < c.ngpus; i++)
        CU_ASSERT_PTR_EQUAL(gs_catalog_gpu(&c, c.gpus[i].name), &c.gpus[i]);
    gs_catalog_release(&c);
}

static void servers_name_gpus_that_exist(void)
{
    struct gs_catalog c = load(NULL);
    for (size_t i = 0; i < c.nservers; i++) {
        const struct gs_server_model *s = &c.servers[i];
        CU_ASSERT(s->gpus > 0);
        CU_ASSERT(s->gpu[0] == '\0' || gs_catalog_gpu(&c, s->gpu) != NULL);
        char other[256];
        (void)snprintf(other, sizeof other, "%s", s->gpu_alternatives);
        CU_ASSERT(other[0] == '\0' || gs_catalog_gpu(&c, other) != NULL);
        CU_ASSERT(s->source[0] != '\0');
        CU_ASSERT(strchr("ABC?", s->confidence) != NULL);
    }
    gs_catalog_release(&c);
}

static void figures_arrive_in_their_units(void)
{
    struct gs_catalog c = load(NULL);
    const struct gs_gpu_model *g = gs_catalog_gpu(&c, "h100-sxm5-80gb");
    CU_ASSERT_PTR_NOT_NULL_FATAL(g);
    GS_EQ_STR(g->name, "H100-SXM5-80GB");
    GS_EQ_INT(g->memory_mib, 80 * 1024);
    GS_NEAR(g->bf16_tflops, 989, 0);
    GS_NEAR(g->nvlink_gbs, 900, 0);
    GS_EQ_INT(g->mig_slices_mem, 8);
    GS_EQ_INT(g->mig_max_instances, 7);
    GS_EQ_INT(g->confidence, 'A');
    GS_EQ_INT(g->unverified, 0);
    const struct gs_server_model *s = gs_catalog_server(&c, "HGX-H100-8");
    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    GS_EQ_STR(s->name, "dgx-h100");
    GS_EQ_STR(s->gpu, "H100-SXM5-80GB");
    GS_EQ_INT(s->gpus, 8);
    GS_EQ_INT(s->cpus_milli, 112000);
    GS_EQ_INT(s->memory_mib, 2048 * 1024);
    GS_NEAR(s->nic_gbps, 400, 0);
    gs_catalog_release(&c);
}

static void unknown_is_not_zero(void)
{
    struct gs_catalog c = load(NULL);
    CU_ASSERT(isnan(gs_catalog_gpu(&c, "V100-SXM2-16GB")->bf16_tflops));
    GS_EQ_INT(gs_catalog_gpu(&c, "GB200-186GB")->sm_count, -1);
    GS_EQ_INT(gs_catalog_gpu(&c, "T4")->mig_max_instances, 0);
    GS_EQ_INT(gs_catalog_server(&c, "dgx-b300")->memory_mib, -1);
    GS_EQ_INT(gs_catalog_server(&c, "a40-pairwise-8")->cpus_milli, -1);
    CU_ASSERT(isnan(gs_catalog_server(&c, "a40-pairwise-8")->nic_gbps));
    gs_catalog_release(&c);
}

static void unverified_marks_stay(void)
{
    struct gs_catalog c = load(NULL);
    GS_EQ_INT(gs_catalog_gpu(&c, "RTX-PRO-6000-Blackwell-SE")->unverified, 1);
    GS_EQ_INT(gs_catalog_gpu(&c, "H20-141GB")->unverified, 1);
    GS_EQ_INT(gs_catalog_gpu(&c, "GB200-186GB")->unverified, 1);
    GS_EQ_INT(gs_catalog_server(&c, "dgx-a100")->unverified, 1);
    GS_EQ_INT(gs_catalog_server(&c, "dgx-b300")->unverified, 1);
    GS_HAS(gs_catalog_gpu(&c, "GB200-186GB")->source, "UNVERIFIED");
    gs_catalog_release(&c);
}

/* Every built-in text can be read; rows that agree in the key would be one row. */
static void all_tables_load_with_distinct_keys(void)
{
    static const size_t rows[GS_CATALOG_COUNT] = {
        [GS_CATALOG_GPUS] = 35,     [GS_CATALOG_SERVERS] = 44, [GS_CATALOG_MIG] = 114,
        [GS_CATALOG_MODELS] = 32,   [GS_CATALOG_PRICES] = 337, [GS_CATALOG_CARBON] = 40,
        [GS_CATALOG_LINKS] = 56,    [GS_CATALOG_BUSBW] = 183,  [GS_CATALOG_FITS] = 9,
        [GS_CATALOG_FAILURES] = 27, [GS_CATALOG_MFU] = 255,    [GS_CATALOG_PAIRS] = 1053,
    };
    struct gs_catalog c = {0};
    struct gs_err err = {0};
    for (size_t t = 0; t < GS_CATALOG_COUNT; t++) {
        const struct gs_table *table = &gs_tables[t];
        gs_catalog_need(&c, (enum gs_catalog_table)t);
        const size_t n = gs_table_rows(table, &c);
        if (rows[t])
            GS_EQ_INT(n, rows[t]);
        CU_ASSERT(n > 0);
        if (!table->nkey)
            continue;
        /* once more as a user's: each row must meet itself, so none is added */
        GS_EQ_INT(gs_catalog_read(&c, "again", table->text, *table->len, 1, &err), GS_OK);
        GS_EQ_INT(gs_table_rows(table, &c), n);
        for (size_t i = 0; i < n; i++)
            CU_ASSERT(gs_table_given(table, gs_table_row(table, &c, i)));
    }
    gs_catalog_release(&c);
}

static void tables_are_read_when_asked_for(void)
{
    struct gs_catalog c = load(NULL);
    CU_ASSERT(c.ngpus > 0 && c.nservers > 0);
    GS_EQ_INT(c.nprices, 0);
    gs_catalog_need(&c, GS_CATALOG_PRICES);
    const struct gs_price *first = c.prices;
    gs_catalog_need(&c, GS_CATALOG_PRICES);
    CU_ASSERT_PTR_EQUAL(first, c.prices);
    gs_catalog_release(&c);
}

static void money_is_exact(void)
{
    struct gs_catalog c = {0};
    unsigned seen = 0;
    gs_catalog_need(&c, GS_CATALOG_PRICES);
    for (size_t i = 0; i < c.nprices; i++)
        seen += c.prices[i].on_demand == INT64_C(87348480000); /* 87.34848 USD */
    GS_EQ_INT(seen, 3);
    GS_EQ_INT(c.prices[0].on_demand, INT64_C(40970000000));
    GS_EQ_INT(c.prices[0].spot, -1);
    gs_catalog_release(&c);
}

/* What tables name in other tables is there. */
static void references_hold(void)
{
    struct gs_catalog c = load(NULL);
    gs_catalog_need(&c, GS_CATALOG_MIG);
    gs_catalog_need(&c, GS_CATALOG_LINKS);
    for (size_t i = 0; i < c.ngpus; i++) {
        unsigned profiles = 0;
        for (size_t k = 0; k < c.nmig; k++)
            profiles += strcmp(c.mig[k].gpu, c.gpus[i].mig) == 0;
        CU_ASSERT((profiles > 0) == (c.gpus[i].mig_max_instances > 0));
    }
    for (size_t i = 0; i < c.nservers; i++) {
        unsigned pairs = 0;
        for (size_t k = 0; k < c.nlinks; k++)
            pairs += strcmp(c.links[k].matrix, c.servers[i].link_matrix) == 0;
        GS_EQ_INT(pairs, c.servers[i].link_matrix[0] ? 28 : 0);
    }
    for (size_t k = 0; k < c.nmig; k++) {
        const struct gs_mig_profile *p = &c.mig[k];
        CU_ASSERT(p->starts != 0);
        for (int b = 0; b < 32; b++)
            CU_ASSERT(!(p->starts >> b & 1) || b + p->memory_slices <= p->memory_slices_total);
    }
    gs_catalog_release(&c);
}

static void a_file_reaches_every_kind_of_table(void)
{
    char path[600];
    gs_test_write("more.csv", "profile,mig,x\n", SIZE_MAX, path, sizeof path);
    struct gs_catalog c;
    struct gs_err err;
    GS_EQ_INT(gs_catalog_load(&c, path, &err), GS_E_INPUT);
    gs_test_write(
        "more.csv",
        "mig,profile,sms,starts\nA30,1g.6gb,13,0 2\nmine,1g,,31\n"
        "price,instance,accelerator,count,on_demand_usd_h\nus,p5.48xlarge,H100,8,1.000000001\n"
        "model,params_e9\nLLAMA-2-7b,6.5\n",
        SIZE_MAX, path, sizeof path);
    c = load(path);
    GS_EQ_INT(c.nmig, 115);
    GS_EQ_INT(gs_catalog_given(&c), 4);
    GS_EQ_INT(c.mig[114].starts, INT64_C(1) << 31);
    GS_EQ_INT(c.mig[114].sms, -1);
    for (size_t i = 0; i < c.nmig; i++) {
        if (strcmp(c.mig[i].gpu, "A30") == 0 && strcmp(c.mig[i].profile, "1g.6gb") == 0) {
            GS_EQ_INT(c.mig[i].sms, 13);
            GS_EQ_INT(c.mig[i].starts, 5);
            GS_EQ_INT(c.mig[i].max_instances, 4); /* not given: kept */
            GS_EQ_INT(c.mig[i].given, 1);
        }
    }
    GS_EQ_INT(c.nprices, 338); /* prices have no key: added */
    GS_EQ_INT(c.prices[337].on_demand, 1000000001);
    const struct gs_llm *m = gs_catalog_model(&c, "llama-2-7b");
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    GS_EQ_STR(m->name, "Llama-2-7B");
    GS_EQ_INT(m->params, INT64_C(6500000000));
    GS_EQ_INT(m->layers, 32);
    GS_EQ_STR(gs_catalog_nearest_model(&c, "llama-2-8b"), "Llama-2-7B");
    gs_catalog_release(&c);
}

static void a_file_replaces_and_adds(void)
{
    char path[600];
    gs_test_write("more.csv",
                  "# ours\r\n\r\n"
                  "gpu,memory_gib,tdp_w\r\n"
                  "T4,15.5,\r\n"
                  "\"X-1\",10,12.5\r\n"
                  "server,gpu,gpus,cpus,memory_gib,aliases\n"
                  "box-x,X-1,2,32.5,64,bx|\"\n",
                  SIZE_MAX, path, sizeof path);
    struct gs_catalog c;
    struct gs_err err;
    GS_EQ_INT(gs_catalog_load(&c, path, &err), GS_E_INPUT); /* a quote inside a field */
    gs_test_write("more.csv",
                  "# ours\r\n\r\n"
                  "gpu,memory_gib,tdp_w\r\n"
                  "t4,15.5,\r\n"
                  "\"X-1\",10,12.5\r\n"
                  "server,gpu,gpus,cpus,memory_gib,aliases\n"
                  "box-x,X-1,2,32.5,64,bx|by\n",
                  SIZE_MAX, path, sizeof path);
    c = load(path);
    const struct gs_gpu_model *t4 = gs_catalog_gpu(&c, "T4");
    GS_EQ_INT(t4->memory_mib, 15872);
    CU_ASSERT(isnan(t4->tdp_w)); /* given as not known */
    GS_EQ_INT(t4->sm_count, 40); /* not given: kept */
    const struct gs_gpu_model *x = gs_catalog_gpu(&c, "X-1");
    CU_ASSERT_PTR_NOT_NULL_FATAL(x);
    GS_NEAR(x->tdp_w, 12.5, 0);
    GS_EQ_INT(x->sm_count, -1);
    GS_EQ_INT(x->confidence, '?');
    const struct gs_server_model *s = gs_catalog_server(&c, "BY");
    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    GS_EQ_INT(s->cpus_milli, 32500);
    GS_EQ_INT(s->gpus, 2);
    gs_catalog_release(&c);
}

struct bad_file {
    const char *text, *says;
};

static void bad_files_say_where_and_what(void)
{
    static const struct bad_file bad[] = {
        {"", "no header row"},
        {"# only a comment\n", "no header row"},
        {"T4,1\n", ":1: column '1': found 'T4', expected a header row"},
        {"gpu,memory\n", ":1: column 'memory'"},
        {"gpu,tdp_w,tdp_w\n", "each column once"},
        {"gpu,tdp_w\n\nA,1,2\n", ":3: column '?': found '2', expected no more fields"},
        {"gpu,tdp_w,idle_w\nA,1\n", ":2: found 2 fields, expected 3"},
        {"gpu,tdp_w\nA,1\nB,many\n", ":3: column 'tdp_w': found 'many', expected a number"},
        {"gpu,tdp_w\r\nA,-1\r\n", ":2: column 'tdp_w': found '-1'"},
        {"gpu,memory_gib\nA,1e300\n", ":2: column 'memory_gib'"},
        {"gpu,sm_count\nA,1.5\n", "whole number"},
        {"gpu,confidence\nA,D\n", "A, B, C"},
        {"gpu,unverified\nA,maybe\n", "UNVERIFIED or nothing"},
        {"gpu,tdp_w\n,1\n", "expected a name"},
        {"gpu,source\nA,\"open\n", "not CSV"},
        {"mig,sms\nA30,1\n", "column 'profile': found '', expected this column too"},
        {"mig,profile,starts\nA30,x,0 32\n", "slice numbers up to 31"},
        {"mig,profile,starts\nA30,x,0  1\n", "slice numbers up to 31"},
        {"price,on_demand_usd_h\nx,1e3\n", "a decimal"},
        {"price,on_demand_usd_h\nx,-1\n", "a decimal"},
        {"model,kv_bytes_per_token\nx,99999999999999999999\n", "whole number"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char path[600];
        struct gs_catalog c;
        struct gs_err err = {0};
        gs_test_write("bad.csv", bad[i].text, SIZE_MAX, path, sizeof path);
        GS_EQ_INT(gs_catalog_load(&c, path, &err), GS_E_INPUT);
        GS_HAS(err.msg, bad[i].says);
        GS_HAS(err.msg, "bad.csv");
        GS_EQ_INT(c.ngpus, 0); /* nothing half-loaded */
    }
}

static void missing_file_and_folder(void)
{
    char path[600];
    struct gs_catalog c;
    struct gs_err err = {0};
    gs_test_tmp_file("none.csv", path, sizeof path);
    GS_EQ_INT(gs_catalog_load(&c, path, &err), GS_E_INPUT);
    GS_HAS(err.msg, "cannot open");
    GS_EQ_INT(gs_catalog_load(&c, gs_test_tmp(), &err), GS_E_INPUT);
    GS_HAS(err.msg, "cannot read");
}

static void nearest_names_help(void)
{
    struct gs_catalog c = load(NULL);
    CU_ASSERT_PTR_NULL(gs_catalog_server(&c, "dgx-h10"));
    GS_EQ_STR(gs_catalog_nearest_server(&c, "DGX-H10"), "dgx-h100");
    GS_EQ_STR(gs_catalog_nearest_server(&c, "standard_nd96isr_h100_v6"), "nd96isr-h100-v5");
    CU_ASSERT_PTR_NULL(gs_catalog_gpu(&c, "h100-sxm5-80"));
    GS_EQ_STR(gs_catalog_nearest_gpu(&c, "h100-sxm5-80"), "H100-SXM5-80GB");
    CU_ASSERT_PTR_NULL(gs_catalog_nearest_gpu(&c, "a completely different thing"));
    gs_catalog_release(&c);
}

static const struct gs_test tests[] = {
    {"compiled-in tables load", compiled_in_tables_load},
    {"names and aliases are unique", names_are_unique_with_aliases},
    {"servers name GPUs that exist", servers_name_gpus_that_exist},
    {"figures arrive in their units", figures_arrive_in_their_units},
    {"unknown is not zero", unknown_is_not_zero},
    {"UNVERIFIED marks stay", unverified_marks_stay},
    {"all tables load, keys are distinct", all_tables_load_with_distinct_keys},
    {"tables are read when asked for", tables_are_read_when_asked_for},
    {"money is exact", money_is_exact},
    {"references hold", references_hold},
    {"a file reaches every kind of table", a_file_reaches_every_kind_of_table},
    {"a file replaces and adds", a_file_replaces_and_adds},
    {"bad files say where and what", bad_files_say_where_and_what},
    {"missing file and folder", missing_file_and_folder},
    {"nearest names help", nearest_names_help},
};
GS_TEST_MAIN("hardware/catalog", tests)
