/* test_catalog_facts.c - the compiled-in tables against the fact files of the shared material, row by row.
 *
 * Each mapping below names a fact file, its columns and ours. Rows are in the same order but for gpus and
 * servers, which ours has more of and which are found by name. A cell agrees if it is the same text, the
 * same number, or if ours is empty where the fact is no single number ("41..48"): then our note, or the
 * column itself, must say so. Skips aloud where the shared material is absent. */
#include "sim/base/units.h"
#include "sim/base/vec.h"
#include "sim/hardware/table.h"
#include "tests/unit/harness.h"

#include <csv.h>

/* ---- a fact file in memory ---- */

struct sheet {
    struct gs_arena text;
    GS_VEC(const char *) cells; /* row-major, the header first */
    size_t columns, at;
};

static void on_cell(void *cell, size_t len, void *ctx)
{
    struct sheet *s = ctx;
    gs_vec_push(&s->cells, gs_arena_str(&s->text, cell ? cell : "", len));
    s->at++;
}

static void on_line(int c, void *ctx)
{
    struct sheet *s = ctx;
    (void)c;
    if (!s->columns)
        s->columns = s->at;
    CU_ASSERT_EQUAL_FATAL(s->cells.n % s->columns, 0);
}

static int read_sheet(const char *name, struct sheet *s)
{
    char path[600], chunk[4096];
    memset(s, 0, sizeof *s);
    if (!gs_test_shared_file(name, path, sizeof path))
        return 0;
    FILE *f = fopen(path, "rb");
    struct csv_parser p;
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    CU_ASSERT_EQUAL_FATAL(csv_init(&p, CSV_APPEND_NULL), 0);
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, f)) > 0;)
        CU_ASSERT_EQUAL_FATAL(csv_parse(&p, chunk, n, on_cell, on_line, s), n);
    (void)csv_fini(&p, on_cell, on_line, s);
    csv_free(&p);
    (void)fclose(f);
    return 1;
}

static void drop_sheet(struct sheet *s)
{
    gs_vec_free(&s->cells);
    gs_arena_release(&s->text);
}

static size_t rows_of(const struct sheet *s)
{
    return s->cells.n / s->columns - 1;
}

static const char *cell(const struct sheet *s, size_t row, const char *column)
{
    size_t k = 0;
    while (k < s->columns && strcmp(s->cells.v[k], column) != 0)
        k++;
    CU_ASSERT_FATAL(k < s->columns);
    return s->cells.v[(row + 1) * s->columns + k];
}

/* ---- comparing ---- */

static void show(const struct gs_table *t, const void *record, const char *column,
                 struct gs_buf *out)
{
    size_t i = 0;
    while (i < t->nfields && strcmp(t->fields[i].column, column) != 0)
        i++;
    CU_ASSERT_FATAL(i < t->nfields);
    gs_buf_clear(out);
    gs_field_show(&t->fields[i], record, out);
}

static int same(const char *ours, const char *fact)
{
    double x, y;
    if (strcmp(ours, fact) == 0)
        return 1;
    return gs_parse_real(ours, &x, NULL) == GS_OK && gs_parse_real(fact, &y, NULL) == GS_OK &&
           x <= y && y <= x;
}

struct pair {
    const char *fact, *ours;
};

/* Facts that are not a single number, and how ours says it (in note, or in the same column). */
static const struct pair reworded[] = {
    {"large", ""},
    {"12 GiB", "12884901888"},
    {"32 (busbw/algbw ratio 1.9375)", "32"},
    {"46-48 per NIC", ""},
    {"41..48", ""},
    {"2e9..462e9", ""},
    {"up to 6144", ""},
    {"16M tokens/step", "2048"},
    {"16M tokens/step", "128"},
    {"A100-SXM4-80GB (Ampere, recalled)", "A100-SXM4-80GB"},
};

static int agrees(const char *ours, const char *fact)
{
    for (size_t i = 0; i < sizeof reworded / sizeof *reworded; i++) {
        if (strcmp(reworded[i].fact, fact) == 0 && strcmp(reworded[i].ours, ours) == 0)
            return 1;
    }
    return same(ours, fact);
}

static void compare_row(const struct gs_table *t, const void *record, const struct sheet *s,
                        size_t row, const struct pair *columns)
{
    struct gs_buf text = {0};
    for (; columns->fact; columns++) {
        const char *fact = cell(s, row, columns->fact);
        show(t, record, columns->ours, &text);
        if (!agrees(gs_buf_cstr(&text), fact)) {
            (void)printf("%s row %zu: %s is '%s', the fact %s is '%s'\n", t->name, row + 1,
                         columns->ours, gs_buf_cstr(&text), columns->fact, fact);
            CU_FAIL("a figure differs from its fact");
        }
    }
    show(t, record, "unverified", &text);
    const char *source = cell(s, row, "source");
    CU_ASSERT_EQUAL(text.n > 0, strstr(source, "UNVERIFIED") != NULL);
    gs_buf_free(&text);
}

/* Equal order; rows of our own stand behind those of the facts. */
static void compare_in_order(const char *file, enum gs_catalog_table which,
                             const struct pair *columns)
{
    struct sheet s;
    if (!read_sheet(file, &s))
        GS_SKIP("no shared material");
    struct gs_catalog c = {0};
    const struct gs_table *t = &gs_tables[which];
    gs_catalog_need(&c, which);
    CU_ASSERT_FATAL(gs_table_rows(t, &c) >= rows_of(&s));
    for (size_t i = 0; i < rows_of(&s); i++)
        compare_row(t, gs_table_row(t, &c, i), &s, i, columns);
    gs_catalog_release(&c);
    drop_sheet(&s);
}

/* The same of a file that has no column source. */
static void compare_without_source(const char *file, enum gs_catalog_table which,
                                   const struct pair *columns)
{
    struct sheet s;
    if (!read_sheet(file, &s))
        GS_SKIP("no shared material");
    struct gs_catalog c = {0};
    const struct gs_table *t = &gs_tables[which];
    gs_catalog_need(&c, which);
    CU_ASSERT_EQUAL_FATAL(gs_table_rows(t, &c), rows_of(&s));
    struct gs_buf text = {0};
    for (size_t i = 0; i < rows_of(&s); i++)
        for (const struct pair *p = columns; p->fact; p++) {
            show(t, gs_table_row(t, &c, i), p->ours, &text);
            CU_ASSERT(same(gs_buf_cstr(&text), cell(&s, i, p->fact)));
        }
    gs_buf_free(&text);
    gs_catalog_release(&c);
    drop_sheet(&s);
}

static void gpus(void)
{
    static const struct pair columns[] = {
        {"model", "gpu"},
        {"vendor", "vendor"},
        {"arch", "arch"},
        {"form_factor", "form_factor"},
        {"memory_gib_label", "memory_gib"},
        {"memory_type", "memory_type"},
        {"mem_bw_gbs", "mem_bw_gbs"},
        {"fp32_tflops", "fp32_tflops"},
        {"bf16_tflops_dense", "bf16_tflops"},
        {"fp16_tflops_dense", "fp16_tflops"},
        {"fp8_tflops_dense", "fp8_tflops"},
        {"fp4_tflops_dense", "fp4_tflops"},
        {"int8_tops_dense", "int8_tops"},
        {"sm_count", "sm_count"},
        {"tdp_w", "tdp_w"},
        {"idle_w_observed", "idle_w"},
        {"nvlink_gen", "nvlink_gen"},
        {"nvlink_links", "nvlink_links"},
        {"nvlink_gbs_bidir_total", "nvlink_gbs"},
        {"nvlink_gbs_unidir", "nvlink_uni_gbs"},
        {"pcie_gen", "pcie_gen"},
        {"pcie_lanes", "pcie_lanes"},
        {"pcie_gbs_unidir_spec", "pcie_gbs"},
        {"mig_max_instances", "mig_max_instances"},
        {"mig_slices_mem", "mig_slices_mem"},
        {"compute_capability", "compute_capability"},
        {"measured_bf16_tflops", "measured_bf16_tflops"},
        {"confidence", "confidence"},
        {0},
    };
    struct sheet s;
    if (!read_sheet("facts/gpus.csv", &s))
        GS_SKIP("no shared material");
    struct gs_catalog c = {0};
    gs_catalog_need(&c, GS_CATALOG_GPUS);
    GS_EQ_INT(rows_of(&s), 34);
    for (size_t i = 0; i < rows_of(&s); i++) {
        const struct gs_gpu_model *g = gs_catalog_gpu(&c, cell(&s, i, "model"));
        CU_ASSERT_PTR_NOT_NULL_FATAL(g);
        compare_row(&gs_tables[GS_CATALOG_GPUS], g, &s, i, columns);
    }
    gs_catalog_release(&c);
    drop_sheet(&s);
}

/* The fact's figure, the one before a bar where it has two variants, or none if it is a sentence. */
static void server_figure(const struct sheet *s, size_t row, const char *column, double ours)
{
    const char *fact = cell(s, row, column);
    char first[64];
    double x;
    (void)snprintf(first, sizeof first, "%.*s", (int)strcspn(fact, "|-"), fact);
    if (gs_parse_real(first, &x, NULL) == GS_OK)
        GS_NEAR(ours, x, 0);
}

static void servers(void)
{
    struct sheet s;
    if (!read_sheet("facts/servers.csv", &s))
        GS_SKIP("no shared material");
    struct gs_catalog c = {0};
    gs_catalog_need(&c, GS_CATALOG_SERVERS);
    GS_EQ_INT(rows_of(&s), 38);
    for (size_t i = 0; i < rows_of(&s); i++) {
        const struct gs_server_model *m = NULL;
        for (size_t k = 0; k < c.nservers && !m; k++)
            m = strcmp(c.servers[k].title, cell(&s, i, "system")) == 0 ? &c.servers[k] : NULL;
        CU_ASSERT_PTR_NOT_NULL_FATAL(m);
        const char *gpu = cell(&s, i, "gpu_model");
        CU_ASSERT(strncmp(gpu, "any", 3) == 0 || strncmp(gpu, m->gpu, strlen(m->gpu)) == 0);
        server_figure(&s, i, "gpus", m->gpus);
        server_figure(&s, i, "cpu_sockets", m->sockets);
        server_figure(&s, i, "cpu_cores_or_vcpus", (double)m->cpus_milli / 1000);
        server_figure(&s, i, "host_memory_gb", (double)m->memory_mib / 1024);
        server_figure(&s, i, "nic_count_compute", m->nics);
        server_figure(&s, i, "nic_gbps_each", m->nic_gbps);
        server_figure(&s, i, "nic_total_gbps", m->nic_total_gbps);
        server_figure(&s, i, "nvlink_domain_size", m->nvlink_domain);
        const char *letter = cell(&s, i, "confidence");
        CU_ASSERT(m->confidence == *letter || (*letter == '-' && m->confidence == '?'));
    }
    gs_catalog_release(&c);
    drop_sheet(&s);
}

/* {0,2,4}:2 against "0 2 4" and memory_slices 2. */
static void mig_starts(void)
{
    struct sheet s;
    if (!read_sheet("facts/mig.csv", &s))
        GS_SKIP("no shared material");
    struct gs_catalog c = {0};
    gs_catalog_need(&c, GS_CATALOG_MIG);
    for (size_t i = 0; i < rows_of(&s) && i < c.nmig; i++) {
        struct gs_buf text = {0};
        const char *comma = "";
        gs_buf_str(&text, "{");
        for (unsigned b = 0; b < 32; b++) {
            if (c.mig[i].starts >> b & 1) {
                gs_buf_fmt(&text, "%s%u", comma, b);
                comma = ",";
            }
        }
        gs_buf_fmt(&text, "}:%d", c.mig[i].memory_slices);
        GS_EQ_STR(gs_buf_cstr(&text), cell(&s, i, "placements"));
        GS_EQ_INT(c.mig[i].p2p, strcmp(cell(&s, i, "p2p"), "no") != 0);
        gs_buf_free(&text);
    }
    gs_catalog_release(&c);
    drop_sheet(&s);
}

static void mig(void)
{
    static const struct pair columns[] = {
        {"gpu", "mig"},
        {"profile", "profile"},
        {"gi_profile_id", "gi_id"},
        {"compute_slices", "compute_slices"},
        {"memory_slices_occupied", "memory_slices"},
        {"memory_slices_total", "memory_slices_total"},
        {"memory_gib", "memory_gib"},
        {"sm_count", "sms"},
        {"max_instances", "max_instances"},
        {"media_variant", "variant"},
        {"nvdec", "nvdec"},
        {"nvenc", "nvenc"},
        {"nvjpg", "nvjpg"},
        {"ofa", "ofa"},
        {"copy_engines", "copy_engines"},
        {"confidence", "confidence"},
        {0},
    };
    compare_in_order("facts/mig.csv", GS_CATALOG_MIG, columns);
}

static void models(void)
{
    static const struct pair columns[] = {
        {"model", "model"},
        {"layers", "layers"},
        {"hidden", "hidden"},
        {"q_heads", "q_heads"},
        {"kv_heads", "kv_heads"},
        {"head_dim", "head_dim"},
        {"ffn", "ffn"},
        {"vocab", "vocab"},
        {"experts", "experts"},
        {"experts_per_token", "experts_per_token"},
        {"shared_experts", "shared_experts"},
        {"moe_ffn", "moe_ffn"},
        {"params_total_e9", "params_e9"},
        {"params_active_e9", "active_params_e9"},
        {"kv_bytes_per_token_bf16", "kv_bytes_per_token"},
        {"attention", "attention"},
        {0},
    };
    compare_in_order("facts/models.csv", GS_CATALOG_MODELS, columns);
}

static void prices(void)
{
    static const struct pair columns[] = {
        {"cloud", "price"},
        {"region_zone", "region"},
        {"instance", "instance"},
        {"accelerator", "accelerator"},
        {"accelerator_count", "count"},
        {"vcpus", "vcpus"},
        {"memory_gib", "memory_gib"},
        {"price_on_demand", "on_demand_usd_h"},
        {"price_spot", "spot_usd_h"},
        {0},
    };
    compare_in_order("facts/prices.csv", GS_CATALOG_PRICES, columns);
}

static void carbon(void)
{
    static const struct pair columns[] = {
        {"cloud", "carbon"},
        {"region", "region"},
        {"country_iso", "country"},
        {"city", "city"},
        {"gco2_per_kwh", "g_per_kwh"},
        {"offset_ratio_pct", "offset_pct"},
        {0},
    };
    compare_in_order("facts/carbon_intensity.csv", GS_CATALOG_CARBON, columns);
}

static void links(void)
{
    static const struct pair columns[] = {
        {"gpu_a", "a"},
        {"gpu_b", "b"},
        {"nvlinks", "nvlinks"},
        {0},
    };
    compare_in_order("facts/dgx1_links.csv", GS_CATALOG_LINKS, columns);
}

static void busbw(void)
{
    static const struct pair columns[] = {
        {"system", "busbw"},         {"ranks", "ranks"},         {"nodes", "nodes"},
        {"fabric", "fabric"},        {"bytes", "bytes"},         {"collective", "collective"},
        {"busbw_GBps", "busbw_gbs"}, {"algorithm", "algorithm"}, {0},
    };
    compare_in_order("facts/busbw.csv", GS_CATALOG_BUSBW, columns);
}

static void pairs(void)
{
    static const struct pair columns[] = {{"gpu", "pair"},      {"job_a", "a"},
                                          {"job_b", "b"},       {"norm_a", "norm_a"},
                                          {"norm_b", "norm_b"}, {0}};
    compare_without_source("facts/colocation_gavel_pairs.csv", GS_CATALOG_PAIRS, columns);
}

static void fits(void)
{
    static const struct pair columns[] = {
        {"system", "fit"},
        {"ranks", "ranks"},
        {"points", "points"},
        {"min_bytes", "min_bytes"},
        {"max_bytes", "max_bytes"},
        {"alpha_us_2p", "alpha_us_2p"},
        {"busbw_GBps_2p", "busbw_gbs_2p"},
        {"rms_log_err_2p", "rms_log_2p"},
        {"max_rel_err_2p", "max_rel_2p"},
        {"alpha_us_3p", "alpha_us_3p"},
        {"busbw_GBps_3p", "busbw_gbs_3p"},
        {"s0_bytes_3p", "s0_bytes_3p"},
        {"rms_log_err_3p", "rms_log_3p"},
        {"max_rel_err_3p", "max_rel_3p"},
        {0},
    };
    compare_without_source("facts/busbw_fits.csv", GS_CATALOG_FITS, columns);
}

static void failures(void)
{
    static const struct pair columns[] = {
        {"cluster", "failure"},
        {"item", "item"},
        {"confidence", "confidence"},
        {0},
    };
    compare_in_order("facts/failures.csv", GS_CATALOG_FAILURES, columns);
}

/* The value stands as a number and its unit, or whole in the unit. */
static void failure_values(void)
{
    struct sheet s;
    if (!read_sheet("facts/failures.csv", &s))
        GS_SKIP("no shared material");
    struct gs_catalog c = {0};
    gs_catalog_need(&c, GS_CATALOG_FAILURES);
    for (size_t i = 0; i < rows_of(&s) && i < c.nfailures; i++) {
        const char *fact = cell(&s, i, "value");
        char first[64];
        double x;
        (void)snprintf(first, sizeof first, "%.*s", (int)strcspn(fact, " "), fact);
        if (c.failures[i].value >= 0) {
            CU_ASSERT_EQUAL(gs_parse_real(first, &x, NULL), GS_OK);
            GS_NEAR(c.failures[i].value, x, 0);
        } else {
            GS_EQ_STR(c.failures[i].unit, fact);
        }
    }
    gs_catalog_release(&c);
    drop_sheet(&s);
}

static void mfu(void)
{
    static const struct pair columns[] = {
        {"run", "mfu"},
        {"model", "model"},
        {"params", "params"},
        {"gpu", "gpu"},
        {"gpus", "gpus"},
        {"tp", "tp"},
        {"pp", "pp"},
        {"cp", "cp"},
        {"dp", "dp"},
        {"ep", "ep"},
        {"seq_len", "seq_len"},
        {"global_batch_seqs", "batch"},
        {"precision", "precision"},
        {"tokens_per_s_per_gpu", "tokens_per_s"},
        {"model_tflops_per_gpu", "tflops"},
        {"mfu_pct", "mfu_pct"},
        {"hfu_pct", "hfu_pct"},
        {"confidence", "confidence"},
        {0},
    };
    compare_in_order("facts/mfu.csv", GS_CATALOG_MFU, columns);
}

static const struct gs_test tests[] = {
    {"gpus", gpus},
    {"servers", servers},
    {"mig", mig},
    {"mig starts", mig_starts},
    {"models", models},
    {"prices", prices},
    {"carbon", carbon},
    {"links", links},
    {"busbw", busbw},
    {"pairs", pairs},
    {"fits", fits},
    {"failures", failures},
    {"failure values", failure_values},
    {"mfu", mfu},
};
GS_TEST_MAIN("hardware/catalog_facts", tests)
