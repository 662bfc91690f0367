/* tables.c - the catalog's tables as data: the columns of each, in the order in which they are listed.
 *
 * The invariant: the first column of a table names it (no two tables share it), and the first nkey
 * columns identify a row where nkey is not 0. */
#include "sim/hardware/embedded.h"
#include "sim/hardware/table.h"

/* F: a column of the listing; W: one that only --json and --csv show. RECORD is the table's. */
#define F(column, kind, member)                                     \
    {                                                               \
        column, GS_FIELD_##kind, 0, offsetof(struct RECORD, member) \
    }
#define W(column, kind, member)                                     \
    {                                                               \
        column, GS_FIELD_##kind, 1, offsetof(struct RECORD, member) \
    }
#define ROW_FIELDS                                                          \
    F("confidence", LETTER, confidence), F("unverified", MARK, unverified), \
        W("source", TEXT, source)

#define RECORD gs_gpu_model
static const struct gs_field gpus[] = {
    F("gpu", TEXT, name),
    W("vendor", TEXT, vendor),
    F("arch", TEXT, arch),
    W("form_factor", TEXT, form_factor),
    F("memory_gib", GIB, memory_mib),
    W("memory_type", TEXT, memory_type),
    F("mem_bw_gbs", REAL, mem_bw_gbs),
    W("fp32_tflops", REAL, fp32_tflops),
    F("bf16_tflops", REAL, bf16_tflops),
    W("fp16_tflops", REAL, fp16_tflops),
    F("fp8_tflops", REAL, fp8_tflops),
    W("fp4_tflops", REAL, fp4_tflops),
    W("int8_tops", REAL, int8_tops),
    W("measured_bf16_tflops", REAL, measured_bf16_tflops),
    F("sm_count", COUNT, sm_count),
    W("compute_capability", TEXT, compute_capability),
    F("tdp_w", REAL, tdp_w),
    F("idle_w", REAL, idle_w),
    W("nvlink_gen", TEXT, nvlink_gen),
    W("nvlink_links", COUNT, nvlink_links),
    F("nvlink_gbs", REAL, nvlink_gbs),
    W("nvlink_uni_gbs", REAL, nvlink_uni_gbs),
    W("pcie_gen", COUNT, pcie_gen),
    W("pcie_lanes", COUNT, pcie_lanes),
    W("pcie_gbs", REAL, pcie_gbs),
    W("mig", TEXT, mig),
    W("mig_slices_mem", COUNT, mig_slices_mem),
    F("mig_max_instances", COUNT, mig_max_instances),
    ROW_FIELDS,
};
#undef RECORD

#define RECORD gs_server_model
static const struct gs_field servers[] = {
    F("server", TEXT, name),
    W("aliases", LIST, aliases),
    W("title", TEXT, title),
    F("gpu", TEXT, gpu),
    W("gpu_alternatives", LIST, gpu_alternatives),
    F("gpus", NUMBER, gpus),
    W("sockets", COUNT, sockets),
    W("cpu_model", TEXT, cpu_model),
    F("cpus", MILLI, cpus_milli),
    F("memory_gib", GIB, memory_mib),
    F("numa_nodes", NUMBER, numa_nodes),
    W("gpu_numa", LIST, gpu_numa),
    F("nics", NUMBER, nics),
    F("nic_gbps", REAL, nic_gbps),
    W("nic_total_gbps", REAL, nic_total_gbps),
    W("nic_type", TEXT, nic_type),
    W("nic_group_gpus", COUNT, nic_group_gpus),
    W("nic_group_nics", COUNT, nic_group_nics),
    W("nic_at", TEXT, nic_at),
    F("nvlink_domain", NUMBER, nvlink_domain),
    F("nvlink", TEXT, nvlink),
    W("link_matrix", TEXT, link_matrix),
    W("pcie", TEXT, pcie),
    ROW_FIELDS,
};
#undef RECORD

#define RECORD gs_mig_profile
static const struct gs_field mig[] = {
    F("mig", TEXT, gpu),
    F("profile", TEXT, profile),
    F("gi_id", COUNT, gi_id),
    F("compute_slices", COUNT, compute_slices),
    F("memory_slices", COUNT, memory_slices),
    F("memory_slices_total", COUNT, memory_slices_total),
    F("memory_gib", GIB, memory_mib),
    F("sms", COUNT, sms),
    F("max_instances", COUNT, max_instances),
    F("starts", STARTS, starts),
    W("variant", TEXT, variant),
    W("nvdec", COUNT, nvdec),
    W("nvenc", COUNT, nvenc),
    W("nvjpg", COUNT, nvjpg),
    W("ofa", COUNT, ofa),
    W("copy_engines", COUNT, copy_engines),
    W("p2p", COUNT, p2p),
    ROW_FIELDS,
};
#undef RECORD

#define RECORD gs_llm
static const struct gs_field models[] = {
    F("model", TEXT, name),
    F("layers", COUNT, layers),
    F("hidden", COUNT, hidden),
    F("q_heads", COUNT, q_heads),
    F("kv_heads", COUNT, kv_heads),
    F("head_dim", COUNT, head_dim),
    F("ffn", COUNT, ffn),
    F("vocab", COUNT, vocab),
    F("experts", COUNT, experts),
    W("experts_per_token", COUNT, experts_per_token),
    W("shared_experts", COUNT, shared_experts),
    W("moe_ffn", COUNT, moe_ffn),
    F("params_e9", NANO, params),
    F("active_params_e9", NANO, active_params),
    F("kv_bytes_per_token", BIG, kv_bytes_per_token),
    W("attention", TEXT, attention),
    W("mlp", TEXT, mlp),
    W("tied", TEXT, tied),
    W("positions", TEXT, positions),
    W("dense_layers", COUNT, dense_layers),
    W("window", COUNT, window),
    W("window_layers", COUNT, window_layers),
    W("mtp_layers", COUNT, mtp_layers),
    W("q_lora", COUNT, q_lora),
    W("kv_lora", COUNT, kv_lora),
    W("rope_dim", COUNT, rope_dim),
    ROW_FIELDS,
};
#undef RECORD

#define RECORD gs_price
static const struct gs_field prices[] = {
    F("price", TEXT, cloud),
    F("region", TEXT, region),
    F("instance", TEXT, instance),
    F("accelerator", TEXT, accelerator),
    F("count", COUNT, count),
    W("vcpus", TEXT, vcpus),
    W("memory_gib", TEXT, memory_gib),
    F("on_demand_usd_h", NANO, on_demand),
    F("spot_usd_h", NANO, spot),
    F("as_of", TEXT, as_of),
    ROW_FIELDS,
};
#undef RECORD

#define RECORD gs_carbon
static const struct gs_field carbon[] = {
    F("carbon", TEXT, cloud),
    F("region", TEXT, region),
    F("country", TEXT, country),
    F("city", TEXT, city),
    F("g_per_kwh", REAL, g_per_kwh),
    W("offset_pct", REAL, offset_pct),
    ROW_FIELDS,
};
#undef RECORD

#define RECORD gs_gpu_link
static const struct gs_field links[] = {
    F("link", TEXT, matrix),      F("a", COUNT, a),      F("b", COUNT, b),
    F("nvlinks", COUNT, nvlinks), F("pcie", TEXT, pcie), ROW_FIELDS,
};
#undef RECORD

#define RECORD gs_busbw
static const struct gs_field busbw[] = {
    F("busbw", TEXT, machine),
    F("ranks", COUNT, ranks),
    F("nodes", COUNT, nodes),
    W("fabric", TEXT, fabric),
    F("collective", TEXT, collective),
    F("bytes", BIG, bytes),
    F("algorithm", TEXT, algorithm),
    F("busbw_gbs", REAL, busbw_gbs),
    F("note", TEXT, note),
    ROW_FIELDS,
};
#undef RECORD

#define RECORD gs_busbw_fit
static const struct gs_field fits[] = {
    F("fit", TEXT, system),
    F("ranks", COUNT, ranks),
    F("points", COUNT, points),
    W("min_bytes", BIG, min_bytes),
    W("max_bytes", BIG, max_bytes),
    F("alpha_us_2p", REAL, alpha_us_2p),
    F("busbw_gbs_2p", REAL, busbw_gbs_2p),
    W("rms_log_2p", REAL, rms_log_2p),
    F("max_rel_2p", REAL, max_rel_2p),
    F("alpha_us_3p", REAL, alpha_us_3p),
    F("busbw_gbs_3p", REAL, busbw_gbs_3p),
    F("s0_bytes_3p", BIG, s0_bytes_3p),
    W("rms_log_3p", REAL, rms_log_3p),
    F("max_rel_3p", REAL, max_rel_3p),
    ROW_FIELDS,
};
#undef RECORD

#define RECORD gs_failure_fact
static const struct gs_field failures[] = {
    F("failure", TEXT, cluster),
    F("item", TEXT, item),
    F("scope", TEXT, scope),
    F("value", REAL, value),
    F("unit", TEXT, unit),
    W("note", TEXT, note),
    ROW_FIELDS,
};
#undef RECORD

#define RECORD gs_training_run
static const struct gs_field mfu[] = {
    F("mfu", TEXT, run),
    F("model", TEXT, model),
    W("params", BIG, params),
    F("gpu", TEXT, gpu),
    F("gpus", COUNT, gpus),
    F("tp", COUNT, tp),
    F("pp", COUNT, pp),
    W("cp", COUNT, cp),
    F("dp", COUNT, dp),
    W("ep", COUNT, ep),
    F("seq_len", COUNT, seq_len),
    F("batch", COUNT, batch),
    F("precision", TEXT, precision),
    W("tokens_per_s", REAL, tokens_per_s),
    F("tflops", REAL, tflops),
    F("mfu_pct", REAL, mfu_pct),
    W("hfu_pct", REAL, hfu_pct),
    F("year", COUNT, year),
    W("lm", TEXT, lm),
    W("counting", TEXT, counting),
    W("zero", COUNT, zero),
    W("note", TEXT, note),
    ROW_FIELDS,
};
#undef RECORD

#define RECORD gs_machine
static const struct gs_field systems[] = {
    F("system", TEXT, name),     F("gpu", TEXT, gpu),     F("domain", COUNT, domain),
    F("nic_gbs", REAL, nic_gbs), F("sharp", TEXT, sharp), ROW_FIELDS,
};
#undef RECORD

#define RECORD gs_program_pair
static const struct gs_field pairs[] = {
    F("pair", TEXT, gpu),      F("a", TEXT, a),           F("b", TEXT, b),
    F("norm_a", REAL, norm_a), F("norm_b", REAL, norm_b), ROW_FIELDS,
};
#undef RECORD

/* NOLINTBEGIN(bugprone-macro-parentheses): name is that of an array and of members */
#define T(code, name, record, nkey, doc)                         \
    [GS_CATALOG_##code] = {#name,                                \
                           doc,                                  \
                           name,                                 \
                           sizeof name / sizeof *name,           \
                           nkey,                                 \
                           sizeof(struct record),                \
                           offsetof(struct record, given),       \
                           offsetof(struct gs_catalog, name),    \
                           offsetof(struct gs_catalog, n##name), \
                           gs_csv_##name,                        \
                           &gs_csv_##name##_len}
/* NOLINTEND(bugprone-macro-parentheses) */
/* clang-format off */
const struct gs_table gs_tables[GS_CATALOG_COUNT] = {
    T(GPUS,     gpus,     gs_gpu_model,    1, "GPU models: memory, bandwidth, rates, power, links"),
    T(SERVERS,  servers,  gs_server_model, 1, "servers and cloud instances: GPUs, CPUs, NICs, NVLink"),
    T(MIG,      mig,      gs_mig_profile,  2, "MIG profiles of each geometry, with their starts"),
    T(MODELS,   models,   gs_llm,          1, "language models: shape, parameters, KV cache"),
    T(PRICES,   prices,   gs_price,        0, "prices of cloud instances, on demand and spot"),
    T(CARBON,   carbon,   gs_carbon,       2, "carbon intensity of the grid by cloud region"),
    T(LINKS,    links,    gs_gpu_link,     3, "GPU pairs of the DGX-1 meshes: NVLinks and PCIe"),
    T(BUSBW,    busbw,    gs_busbw,        7, "measured bus bandwidth of collectives by size"),
    T(FITS,     fits,     gs_busbw_fit,    2, "fits of all-reduce time to those points, with errors"),
    T(FAILURES, failures, gs_failure_fact, 3, "failures, their rates and checkpoints on real clusters"),
    T(MFU,      mfu,      gs_training_run, 0, "published training runs: what each GPU did"),
    T(SYSTEMS,  systems,  gs_machine,      1, "the machines behind busbw: GPU, NVLink domain, NIC"),
    T(PAIRS,    pairs,    gs_program_pair, 3, "speed of two training programs on one GPU, of each alone"),
};
/* clang-format on */
