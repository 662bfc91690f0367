#!/usr/bin/env python3
"""make_samples.py [FOLDER] - writes the small invented files of traces/samples/, one in each public trace format.

Nothing here is taken from a trace: names, times and sizes are made up, by plain loops or by the generator `Draw` below, so that
every run writes the same bytes (tests/cli/samples.sh compares them with the committed files). Each file shows the oddities of its
format: rows out of order, empty fields, integers written as floats, CR LF, a missing last line end, states that are left out.

To add a file: a function that returns its text, under @sample("NAME"). Keep it at 10 to 40 rows. Needs Python 3, no packages.
"""
import json
import math
import os
import sys

SAMPLES = {}  # file name -> function


def sample(name):
    """Registers the function below it as the maker of traces/samples/NAME."""

    def keep(function):
        assert name not in SAMPLES, name
        SAMPLES[name] = function
        return function

    return keep


class Draw:
    """Numbers that look arbitrary and never change: the high bits of a 64-bit linear congruential generator."""

    def __init__(self, seed):
        self.x = seed

    def below(self, n):
        self.x = (self.x * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.x >> 33) % n

    def pick(self, items):
        return items[self.below(len(items))]


def csv(header, rows, end="\n", last=True):
    """Lines of comma-separated values; None is an empty field. header None = no header line; last False = no last line end."""
    lines = [header] if header else []
    lines += [",".join("" if v is None else str(v) for v in row) for row in rows]
    return end.join(lines) + (end if last else "")


def clock(s, day=1, month=3, year=2021):
    """`YYYY-MM-DD HH:MM:SS`, s seconds after midnight of that day (within the month)."""
    return "%04d-%02d-%02d %02d:%02d:%02d" % (year, month, day + s // 86400, s // 3600 % 24, s // 60 % 60, s % 60)


# ---- Job traces --------------------------------------------------------------------------------------------------------


VCS = ["speech", "vision", "search"]
MODELS = ["resnet50", "vgg16", "bert", "lstm"]


@sample("philly_log.json")
def philly_log():
    """Several attempts, a job across the hour that happens twice, no attempts, one still running, ends written three ways."""
    d = Draw(1)
    jobs = []
    for i in range(14):
        at = 600 * i + d.below(500)
        attempts = []
        for _ in range(1 + (i % 3)):
            start = at + 5 + d.below(60)
            at = start + 60 + d.below(4000)
            gpus = [1, 2, 4, 8, 12][i % 5]
            detail = [{"ip": "m%d" % (1 + i + k), "gpus": ["gpu%d" % g for g in range(min(8, gpus - 8 * k))]}
                      for k in range((gpus + 7) // 8)]
            attempts.append({"start_time": clock(start, 9, 10, 2017), "end_time": clock(at, 9, 10, 2017), "detail": detail})
        jobs.append({"status": ["Pass", "Killed", "Failed"][i % 3], "vc": VCS[i % 3], "jobid": "application_%d" % (1000 + i),
                     "attempts": attempts, "submitted_time": clock(600 * i, 9, 10, 2017), "user": "u%d" % (i % 4)})
    one = {"ip": "m1", "gpus": ["gpu0"]}
    jobs[3]["attempts"] = []
    jobs[5]["attempts"][-1]["end_time"] = "None"
    jobs[6]["attempts"] = [{"start_time": clock(4000, 9, 10, 2017), "end_time": None, "detail": [one]}]
    # Starts at 01:50 daylight time and ends 20 minutes later, at 01:10 standard time.
    jobs[13] = {"status": "Pass", "vc": "vision", "jobid": "application_1013", "submitted_time": "2017-11-05 01:49:00", "user": "u1",
                "attempts": [{"start_time": "2017-11-05 01:50:00", "end_time": "2017-11-05 01:10:00", "detail": [one]}]}
    return json.dumps(jobs, indent=1) + "\n"


@sample("philly_gpu_util.csv")
def philly_gpu_util():
    """A comma at the end of each line; machines with fewer GPUs, and one that is offline."""
    d = Draw(2)
    lines = ["time,machineId," + "".join("gpu%d_util," % g for g in range(8))]
    for i in range(12):
        known = [8, 2, 0][i % 3]
        cells = ["%d.%d" % (d.below(100), d.below(10)) if g < known else "NA" for g in range(8)]
        lines.append("2017-11-05 00:%02d:00 PDT,m%d,%s," % (i // 3, i % 3, ",".join(cells)))
    return "\n".join(lines) + "\n"


@sample("philly_machines.csv")
def philly_machines():
    return "machineId,number of GPUs, single GPU mem\n" + "".join("m%d,%d, %dGB\n" % (i, 2 + 6 * (i % 2), 12 * (1 + i % 2)) for i in range(10))


@sample("philly_nodes.csv")
def philly_nodes():
    d = Draw(3)
    return csv("time,active,total", [[clock(60 * i + (600 if i > 9 else 0)), 300 + d.below(20), 340 + i % 2] for i in range(20)])


@sample("philly_runtimes.csv")
def philly_runtimes():
    return csv("runtime", [["%d.0" % (i * i * 7)] for i in range(15)])


@sample("chronus.csv")
def chronus():
    """Minutes, not in order of submit; lists joined by '-'."""
    d = Draw(4)
    rows = []
    for i in range(16):
        strict = i % 4 != 3
        rows.append([i, "vc_" + VCS[i % 3], [1, 1, 2, 8][i % 4], 40 * (i ^ 3), 500 + d.below(9000), MODELS[i % 4], 5 + d.below(300), d.below(30),
                     100 + i if strict else "60-240", 10 if strict else "10-2", int(not strict), "strict" if strict else "soft"])
    return csv("job_id,user,num_gpu,submit_time,iterations,model_name,duration,interval,expect_time_list,expect_value_list,best_effort,job_type", rows)


@sample("helios.csv")
def helios():
    """CPU jobs, a job that still runs, all end states, a row out of order."""
    d = Draw(5)
    rows = []
    states = ["COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL"]
    for i in range(24):
        submit = 300 * (i if i != 7 else 5) + d.below(100)
        start = submit + d.below(500)
        end = start + 30 + d.below(9000)
        gpus = [1, 8, 0, 16, 4, 0][i % 6]
        state = states[i % 5]
        if i == 9:
            state = "RUNNING"
        rows.append(["job%d" % i, "u%04d" % (i % 5), "vc" + VCS[i % 3][:3], gpus, max(1, 6 * gpus), max(1, (gpus + 7) // 8), state,
                     clock(submit, 1, 4, 2020), clock(start, 1, 4, 2020), clock(end, 1, 4, 2020), end - start, start - submit])
    return csv("job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue", rows)


@sample("helios_quota.csv")
def helios_quota():
    """A virtual cluster that has no GPU on some days."""
    rows = [["2020-04-%02d" % (i + 1), 64 + 8 * (i % 3), 0 if i < 4 else 16, 32] for i in range(10)]
    return csv("date,vcspe,vcvis,vcsea,total", [r + [sum(r[1:])] for r in rows])


@sample("helios_throughput.csv")
def helios_throughput():
    d = Draw(6)
    names = ["%s_%s" % (w, k) for k in ("job_all", "gpu_job", "gpu_num") for w in ("submit", "start", "end")]
    return csv("time," + ",".join(names), [[clock(600 * i, 1, 4, 2020)] + [d.below(20) for _ in names] for i in range(18)])


@sample("helios_sequence.csv")
def helios_sequence():
    """The columns of the published file, 24 of them."""
    d = Draw(7)
    names = ["%s_%s" % (s, k) for k in ("job_num", "gpujob_num", "gpu_num") for s in ("total", "running", "pending")]
    names += ["idle_gpu_num", "gpu_utilization"]
    names += ["%s_gpu_num_%s" % (s, h) for s in ("running", "pending", "total") for h in ("noless_8", "less_8")]
    names += ["%s_job_num_%s" % (s, h) for s in ("running", "pending", "total") for h in ("noless_8", "less_8")]
    return csv("time," + ",".join(names), [[clock(60 * i, 1, 5, 2020)] + [d.below(9) for _ in names] for i in range(15)])


@sample("helios_vc.csv")
def helios_vc():
    return csv(",num", [["vc%03d" % i, 1 + i % 5] for i in range(12)])


TASK_HEADER = "job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type"


@sample("pai_task.csv")
def pai_task():
    """No header; shares of a GPU, several GPUs, none; times that are missing; numbers as floats."""
    d = Draw(8)
    rows = []
    for i in range(20):
        start = 494319 + 100 * i + d.below(90)
        gpu = [50.0, 25.0, 100.0, 200.0, None][i % 5]
        status = ["Terminated", "Failed", "Terminated", "Running", "Terminated", "Waiting"][i % 6]
        rows.append(["%08x" % (i // 2 * 2654435761 % 2**32), ["tensorflow", "worker"][i % 2], "%d.0" % [1, 1, 2, 16][i % 4], status,
                     None if status == "Waiting" else "%d.0" % start,
                     None if status in ("Running", "Waiting") else "%d.0" % (start + 20 + d.below(5000)),
                     600.0, 29.296875, gpu, ["MISC", "T4", "V100", "P100", None][i % 5]])
    return csv(None, rows)


@sample("pai_task.header")
def pai_task_header():
    return TASK_HEADER + "\n"


@sample("pai_job.csv")
def pai_job():
    rows = [["%08x" % (i * 2654435761 % 2**32), "%08x" % (i * 40503 + 7), "user%d" % (i % 3), ["Terminated", "Running", "Failed"][i % 3],
             "%d.0" % (494319 + 60 * i), None if i % 3 == 1 else "%d.0" % (496319 + 60 * i)] for i in range(12)]
    return csv(None, rows)


@sample("pai_machine.csv")
def pai_machine():
    return csv(None, [["%08x" % (i * 2654435761 % 2**32), ["T4", "P100", "CPU", "V100M32"][i % 4], 96, 512, [2, 2, 0, 8][i % 4]] for i in range(12)])


@sample("pai_list.csv")
def pai_list():
    """The simulator's list: fractions of a GPU, a submit time and a number of instances that are missing, run time 0."""
    d = Draw(9)
    rows = [[i, "user%d" % (i % 4), [0.25, 0.5, 1.0, 2.0, 0.0][i % 5], 6.0, 120 * i, [1, 1, 3][i % 3], 60 + d.below(4000), d.below(50), "g%d" % (i % 2)]
            for i in range(20)]
    rows[4][6] = 0
    rows[7][5] = None
    rows[8][4] = None
    return csv("job_id,user,num_gpu,num_cpu,submit_time,num_inst,duration,wait_time,group", rows)


@sample("pai_batch.csv")
def pai_batch():
    d = Draw(10)
    return csv(",worker,gpu,time,batch_time_norm", [[i, i % 3, 50, 1 + i // 3, 50 + d.below(500)] for i in range(18)])


@sample("dlrm.csv")
def dlrm():
    """The four patterns of empty times; CPU instances; limits that differ for disks."""
    rows = []
    for i in range(24):
        hn = i % 3 == 0
        created, scheduled, deleted = 100 * i, 100 * i + i % 5, 100 * i + 4000
        if i % 8 == 5:
            created = scheduled = deleted = None
        elif i % 8 == 6:
            deleted = None
        elif i % 8 == 7:
            created = scheduled = None
        rows.append(["instance_%d" % i, "HN" if hn else "CN", "app_%d" % (i % 4), 12, 12, int(hn), int(hn), 25, 25, "120.0", "120.0", "640.0", "800.0",
                     8 if i % 2 else -1, created, scheduled, deleted])
    return csv("instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit,rdma_request,rdma_limit,memory_request,memory_limit,"
               "disk_request,disk_limit,max_instance_per_node,creation_time,scheduled_time,deletion_time", rows)


@sample("spot.csv")
def spot():
    d = Draw(11)
    rows = [["job_%d" % i, "org_%d" % (i % 3), ["A10", "H800", "A100-SXM4-80GB"][i % 3], 8 * (1 + i % 4), [1, 2, 8][i % 3], [1, 1, 4][i % 3], 90 * i,
             60 + d.below(7200), "Spot" if i % 2 else "HP"] for i in range(20)]
    return csv("job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,job_type", rows)


@sample("spot_nodes.csv")
def spot_nodes():
    return csv("gpu_model,gpu_capacity_num,cpu_num,node_name", [[["A10", "H800"][i % 2], [1, 8][i % 2], [32, 192][i % 2], i] for i in range(14)])


@sample("acme_seren.csv")
def acme_seren():
    """Stamps with an offset; a CPU job; one that was cancelled before it started."""
    d = Draw(12)
    rows = []
    for i in range(20):
        submit = 700 * i
        start = submit + d.below(300)
        end = start + 10 + d.below(20000)
        gpus = [8, 1, 64, 0][i % 4]
        never = i == 6
        rows.append([1000 + i, "u%d" % (i % 4), max(1, gpus // 8), gpus, max(2, 16 * gpus), ["Pretrain", "Eval", "SFT", "Debug", "MLLM", "Other"][i % 6],
                     "CANCELLED" if never else ["COMPLETED", "FAILED", "TIMEOUT", "NODE_FAIL"][i % 4], clock(submit) + "+08:00",
                     None if never else clock(start) + "+08:00", clock(end) + "+08:00", end - start, start - submit, (end - start) * gpus])
    return csv("job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,queue,gpu_time", rows)


@sample("acme_kalos.csv")
def acme_kalos():
    """More columns; `duration` holds the wait too; `queue` is written as a float."""
    d = Draw(13)
    rows = []
    for i in range(16):
        submit = 900 * i
        start = submit + 10 + d.below(200)
        end = start + 8 + d.below(9000)
        gpus = [8, 32, 1, 256][i % 4]
        state = "RUNNING" if i == 11 else ["COMPLETED", "FAILED", "CANCELLED"][i % 3]
        rows.append(["dlc%04d" % i, "u%d" % (i % 3), max(1, gpus // 8), gpus, 12 * gpus, 100, 20.0, ["Pretrain", "Eval"][i % 2], state,
                     clock(submit) + "+00:00", clock(start) + "+00:00", clock(end) + "+00:00", clock(end) + "+00:00" if i % 3 == 1 else None, None,
                     end - submit, "%d.0" % (start - submit), (end - submit) * gpus])
    return csv("job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,shared_mem_per_pod,type,state,submit_time,start_time,end_time,fail_time,stop_time,"
               "duration,queue,gpu_time", rows)


@sample("acme_summary.csv")
def acme_summary():
    names = ["Seren", "Kalos", "Philly", "Helios", "PAI"]
    return csv("id,job_num,cpu_job_num,gpu_job_num,avg_run_time_gpu,med_run_time_gpu",
               [[n, 1000 * (i + 1), None if i == 2 else 300, 700, "%d.5" % (100 + i), 40.0] for i, n in enumerate(names)])


@sample("tiresias.csv")
def tiresias():
    d = Draw(14)
    rows = []
    at = 0
    for i in range(20):
        gap = d.below(60)
        rows.append([i, [1, 1, 2, 4, 8][i % 5], at, 100 + d.below(900), MODELS[i % 4], 30 + d.below(400), gap])
        at += gap
    return csv("job_id,num_gpu,submit_time,iterations,model_name,duration,interval", rows, last=False)


@sample("tiresias_tf.csv")
def tiresias_tf():
    """The same id twice: a fault of a list that is replayed."""
    rows = [[10 + i, 1 + i % 4, 11 + i, 14 + i, 20, 400, 0, "vgg19", 1] for i in range(9)]
    return csv("job_id,num_gpu,submit_time,start_time,duration,model_size,aggr_interval,model_name,model_scale", rows + [rows[0]])


@sample("tiresias_cluster.csv")
def tiresias_cluster():
    return csv("num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node", [[3, 4, 8, 64, 256]])


@sample("tiresias_durations.csv")
def tiresias_durations():
    return csv("duration", [[100 + 13 * i] for i in range(20)])


@sample("muri.csv")
def muri():
    """Milliseconds, CR LF."""
    d = Draw(15)
    rows = [[i, [1, 8, 4, 16][i % 4], 60000 * i, 1000 + d.below(9000), MODELS[i % 4], 64, 1000 * (60 + d.below(7200)), 60000, 214, 82, 75, "0.5", i % 2]
            for i in range(20)]
    return csv("job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,iteration_time,resource_time_0,resource_time_1,"
               "resource_time_2,priority", rows, end="\r\n")


@sample("elasticflow.csv")
def elasticflow():
    """The shorter layout with best_effort, not in order of submit."""
    d = Draw(16)
    rows = [[i, 300 * (i ^ 1), 1000 + d.below(9000), MODELS[i % 4], 300 * (i ^ 1) + 4000, 64, 1 + i % 2, 60 + d.below(3000), 0] for i in range(14)]
    return csv("job_id,submit_time,iteration,model_name,ddl,batch_size,num_gpu,duration,best_effort", rows, end="\r\n")


@sample("elasticflow_real.csv")
def elasticflow_real():
    d = Draw(17)
    rows = []
    for i in range(14):
        run, steps = 60 + d.below(3000), 1000 + d.below(9000)
        rows.append([i, 300 * i, steps, MODELS[i % 4], 300 * i + 2 * run, 64, [1, 2, 4][i % 3], run, run, steps])
    return csv("job_id,submit_time,real_iteration,model_name,ddl,batch_size,num_gpu,real_duration,duration,iteration", rows)


@sample("sia.csv")
def sia():
    rows = [["%s-%d" % (MODELS[i % 4], i), "%d.%d" % (120 * i + 7, 25 * (i % 2)), MODELS[i % 4], [4, 6, 8, 12][i % 4], 2048] for i in range(18)]
    return csv("name,time,application,num_replicas,batch_size", rows)


@sample("sia_placements.csv")
def sia_placements():
    """`44` is two nodes of 4 GPUs."""
    rows = [[p, b, "0.%d53234" % (k + b), "0.01%d" % k] for k, p in enumerate([1, 2, 4, 44]) for b in (4, 6, 8)]
    return csv("placement,local_bsz,step_time,sync_time", rows)


@sample("sia_scalability.csv")
def sia_scalability():
    """The same columns in another order than other files of the kind have."""
    rows = [[b, "0.%d49262" % (n + b), "0.%d92" % n, n, 4 * n] for n in (1, 2, 3, 6) for b in (4, 6, 8)]
    return csv("local_bsz,step_time,sync_time,num_nodes,num_replicas", rows)


@sample("batsim.json")
def batsim():
    """A profile that is no delay; a job that runs into its walltime; one without a limit."""
    d = Draw(18)
    profiles = {"short": {"type": "delay", "delay": 20.5}, "long": {"type": "DelayProfile", "delay": 900, "np": 4},
                "flops": {"type": "parallel_homogeneous", "cpu": 1e9, "com": 1e6}}
    jobs = []
    at = 0.0
    for i in range(20):
        at += (d.below(100000) + 1) / 1024
        jobs.append({"id": i, "subtime": at, "walltime": [1000, 60, 600, -1][i % 4], "res": [1, 2, 4, 8, 16][i % 5],
                     "profile": ["short", "short", "long", "flops"][(i * 7 // 2) % 4]})
    return json.dumps({"description": "invented", "nb_res": 32, "jobs": jobs, "profiles": profiles}, indent=2) + "\n"


JOB_TYPES = [("ResNet-18 (batch size 32)", "cd %s && python3 main.py --batch_size 32 ", "--num_steps"),
             ("Transformer (batch size 64)", "cd %s && python3 train.py -batch_size 64", "-step"),
             ("Recommendation (batch size 512)", "cd %s && python3 train.py --batch_size 512", "-n"),
             ("A3C (batch size 4)", "cd %s && python3 main.py", "")]


@sample("throughputs.json")
def throughputs():
    """Scales 1, 2, 4, 8; a pair that does not fit together; a type that cannot run on one GPU."""
    table = {}
    for k, gpu in enumerate(["k80", "v100"]):
        table[gpu] = {}
        for t, job in enumerate(JOB_TYPES):
            for scale in (1, 2, 4, 8):
                alone = 0 if gpu == "k80" and t == 3 else (k + 1) * 2.5 * scale + t + 0.125
                other = "('%s', %d)" % (JOB_TYPES[(t + 1) % 4][0], scale)
                table[gpu]["('%s', %d)" % (job[0], scale)] = {"null": alone, other: [alone / 2, 1.5] if t % 2 else [0, 0]}
    return json.dumps(table, indent=1) + "\n"


def tabs(rows):
    return "".join("\t".join(str(v) for v in row) + "\n" for row in rows)


@sample("gavel.trace")
def gavel():
    """Seven fields; scale factors that are no power of two; an empty steps flag; a command with a blank at its end."""
    d = Draw(19)
    return tabs([JOB_TYPES[i % 4][0], JOB_TYPES[i % 4][1], JOB_TYPES[i % 4][2], 1, 1000 + d.below(90000), "%d.000000" % (300 * i), [1, 2, 4, 8, 12, 7][i % 6]]
                for i in range(24))


@sample("gavel_physical.trace")
def gavel_physical():
    """Ten fields: the arrival stands last, and there is an SLO."""
    d = Draw(20)
    return tabs([JOB_TYPES[i % 4][0], JOB_TYPES[i % 4][1].strip(), "folder", JOB_TYPES[i % 4][2] or "-n", 1, 1000 + d.below(90000), [1, 2, 4][i % 3], 1,
                 "-1.000000" if i % 3 else "1.200000", 60 * i] for i in range(16))


@sample("shockwave.trace")
def shockwave():
    """Twelve fields: mode and duration besides."""
    d = Draw(21)
    return tabs([JOB_TYPES[i % 4][0], JOB_TYPES[i % 4][1].strip(), "folder", JOB_TYPES[i % 4][2] or "-n", 1, 1000 + d.below(90000), [1, 2, 4][i % 3],
                 ["gns", "accordion", "static"][i % 3], 1, "-1.000000", 300 + d.below(9000), 55 * i] for i in range(16))


@sample("swf.machines")
def swf_machines():
    return tabs([[0, "thin", 96, 2, 1, 1048576], [1, "fat", 12, 8, "1.5", 8388608]])


# ---- Request traces and agent steps --------------------------------------------------------------------------------------


def fraction(d, digits):
    """Digits behind a decimal point."""
    return str(d.below(10**digits)).rjust(digits, "0")


@sample("azure_llm_2023.csv")
def azure_llm_2023():
    # no zone, always 7 digits, CR LF, no last line end
    d = Draw(11)
    rows = [(clock(18 * 3600 + 7 * i) + "." + fraction(d, 7), 200 + d.below(4000), 1 + d.below(300)) for i in range(12)]
    return csv("TIMESTAMP,ContextTokens,GeneratedTokens", rows, end="\r\n", last=False)


@sample("azure_llm_2024.csv")
def azure_llm_2024():
    # an offset and 6 digits, of which a whole second may show none
    d = Draw(12)
    rows = [
        (clock(5 * i) + ("" if i == 3 else "." + fraction(d, 6)) + "+00:00", 500 + d.below(2000), d.below(90))
        for i in range(12)
    ]
    return csv("TIMESTAMP,ContextTokens,GeneratedTokens", rows)


@sample("azure_lmm_2025.csv")
def azure_lmm_2025():
    d = Draw(13)
    rows = [
        (clock(3 * i).replace(" ", "T") + "." + fraction(d, 3) + "Z", d.below(4), 300 + d.below(3000), 1 + d.below(200))
        for i in range(12)
    ]
    return csv("TIMESTAMP,NumImages,ContextTokens,GeneratedTokens", rows)


@sample("burstgpt_v1.csv")
def burstgpt_v1():
    d = Draw(14)
    rows = []
    for i in range(14):
        request, response = d.below(900), d.pick([0, 31, 120, 288])
        log = d.pick(["Conversation log", "API log"])
        rows.append((5 + 40 * i + d.below(30), d.pick(["ChatGPT", "GPT-4"]), request, response, request + response, log))
    return csv("Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type", rows)


@sample("burstgpt_v3.csv")
def burstgpt_v3():
    # two columns more, a session on conversation rows only, fractions of seconds
    d = Draw(15)
    rows = []
    for i in range(14):
        request, response = 20 + d.below(900), d.pick([0, 31, 120, 288])
        talk = d.below(2)
        at = "%d.%s" % (5 + 40 * i, fraction(d, 3))
        elapsed = "%d.%s" % (1 + d.below(20), fraction(d, 2))
        log = "Conversation log" if talk else "API log"
        session = "s%d" % d.below(3) if talk else None
        rows.append((at, session, elapsed, d.pick(["ChatGPT", "GPT-4"]), request, response, request + response, log))
    return csv("Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type", rows)


@sample("mooncake.jsonl")
def mooncake():
    # requests in ticks of 3 s; each goes on from one of the earlier prefixes or begins its own
    d = Draw(16)
    lines, prefixes, fresh = [], [[0]], 1
    for i in range(20):
        ids = list(d.pick(prefixes))
        for _ in range(1 + d.below(3)):
            ids.append(fresh)
            fresh += 1
        prefixes.append(ids)
        tokens = 512 * (len(ids) - 1) + 1 + d.below(512)
        row = {"timestamp": 3000 * (i // 3), "input_length": tokens, "output_length": d.below(400), "hash_ids": ids}
        lines.append(json.dumps(row))
    return "\n".join(lines) + "\n"


@sample("mooncake_sessions.jsonl")
def mooncake_sessions():
    # as other producers write it: ids of 64 bits, sessions whose later turns have a delay for a time
    d = Draw(17)
    lines, ids = [], {}
    for i in range(12):
        session = "chat-%d" % (i % 4)
        ids.setdefault(session, []).append(2**64 - 1 - d.below(2**31) - i)
        row = {"session_id": session}
        row["timestamp" if i < 4 else "delay"] = 250 * i
        row |= {"input_length": 512 * len(ids[session]), "output_length": 40 + i, "hash_ids": ids[session]}
        lines.append(json.dumps(row))
    return "\n".join(lines) + "\n"


@sample("qwen.jsonl")
def qwen():
    # conversations by parent_chat_id, -1 for a root; the first one began before the trace
    d = Draw(18)
    lines, chats = [], [(900, list(range(5000, 5004)))]
    for i in range(16):
        parent, ids = (chats[0] if i == 0 else d.pick(chats)) if d.below(3) or i == 0 else (-1, [])
        ids = ids + [100 * i + k for k in range(1 + d.below(4))]
        chats.append((1000 + i, ids))
        row = {"chat_id": 1000 + i, "parent_chat_id": parent, "timestamp": round(1.25 * i + d.below(1000) / 1000, 3)}
        row |= {"input_length": 16 * len(ids) - d.below(16), "output_length": 1 + d.below(600)}
        row |= {"type": d.pick(["text", "search", "image", "file"]), "turn": 1 if parent == -1 else 2, "hash_ids": ids}
        lines.append(json.dumps(row))
    return "\n".join(lines) + "\n"


@sample("servegen-trace.csv")
def servegen_trace():
    # no header, idle windows without a family, CR LF; shape and scale that mean what the rate says, then less and more
    d = Draw(19)
    rows = []
    for i in range(40):
        family = d.pick(["", "Gamma", "Gamma", "Weibull"])
        if not family:
            rows.append((600 * i, 0, 0, None, 0, 0))
            continue
        rate, shape = (30 + d.below(90)) / 600, (40 + d.below(120)) / 100
        mean, cv = shape, shape**-0.5
        if family == "Weibull":
            mean = math.gamma(1 + 1 / shape)
            cv = (math.gamma(1 + 2 / shape) / mean**2 - 1) ** 0.5
        scale = 1 / rate / mean * {7: 0.1, 11: 3}.get(i, 1)
        rows.append((600 * i, "%.15f" % rate, "%.12f" % cv, family, shape, "%.12g" % scale))
    return csv(None, rows, end="\r\n")


@sample("servegen-dataset.json")
def servegen_dataset():
    # windows of six hours; one is empty; the distributions are texts
    def window(k):
        return {
            "input_tokens": "{%d: 0.25, %d: 0.75}" % (100 + k, 300 + k),
            "output_tokens": "{%d: 1.0}" % (20 + k),
            "reason_ratio": "{0.5: 0.5, 0.75: 0.5}",
        }

    return json.dumps({str(21600 * k): {} if k == 1 else window(k) for k in range(4)}, indent=2) + "\n"


@sample("vidur.csv")
def vidur():
    # arrivals with the noise of binary fractions
    d = Draw(20)
    rows, at = [], 0.0
    for _ in range(12):
        rows.append((at, 100 + d.below(3000), 1 + d.below(200)))
        at += 0.1 + d.below(900) / 1000
    return csv("arrived_at,num_prefill_tokens,num_decode_tokens", rows)


@sample("vidur_lengths.csv")
def vidur_lengths():
    d = Draw(21)
    rows = []
    for _ in range(12):
        prefill, decode = 100 + d.below(3000), 1 + d.below(200)
        rows.append((prefill, decode, prefill + decode, "%.6f" % (prefill / decode)))
    return csv("num_prefill_tokens,num_decode_tokens,num_total_tokens,pd_ratio", rows)


@sample("genai_requests.csv")
def genai_requests():
    # whole numbers as floats, nulls, requests that were not done at the end
    d = Draw(22)
    header = (
        "gmt_create,predict_type,predict_status,exec_time_seconds,groupId,prompt_length,negative_prompt_length,"
        "num_images_per_prompt,num_inference_steps,checkpoint_model_version_id,num_lora"
    )
    rows = []
    for i in range(16):
        done = i not in (6, 15)
        status = d.pick(["SUCCEED", "SUCCEED", "FAILED"]) if done else d.pick(["PENDING", "PROCESSING"])
        shape = ["%d.0" % d.below(200), d.pick([None, "26.0"]), "1.0", "30.0", "M%04d" % d.below(3)]
        row = [clock(3600 + 90 * i), d.pick(["TXT_2_IMG", "IMG_2_IMG", "INPAINTING"]), status]
        row += ["%d.0" % (20 + d.below(40) if done else 0), "G%04d" % d.below(4)]
        rows.append(row + (shape if done else [None] * 5) + [d.below(3)])
    return csv(header, rows)


@sample("genai_metric.csv")
def genai_metric():
    # a grid of 57 s; a container may be missing in three ways
    d = Draw(23)
    rows = [
        ("%d.5" % d.below(100), d.pick(["", "None", "NULL", "c0ffee%02d" % d.below(3)]), "%d.0" % (1600000020 + 57 * i))
        for i in range(16)
    ]
    return csv("value,container_ip,timestamp_anon", rows)


@sample("coding_agent_steps.csv")
def coding_agent_steps():
    # lo tells true output tokens, hk a placeholder; two tools of one step overlap
    d = Draw(24)
    header = (
        "session,step,kind,name,start_s,end_s,input_tokens,cache_read_tokens,cache_write_tokens,output_tokens,"
        "n_tool_calls,result_chars,is_error"
    )
    rows = []
    for session, model in (("lo000", "big-model"), ("hk000", "small-model"), ("lo001", "big-model")):
        at, step, read = 0, 0, 0
        for _ in range(3):
            end, write = at + 1000 + d.below(4000), 100 + d.below(900)
            output = d.below(500) if session[0] == "l" else 2
            seconds = ["%.3f" % (t / 1000) for t in (at, end)]
            rows.append([session, step, "llm", model] + seconds + [3, read, write, output, 2, None, None])
            at, step, read = end, step + 1, read + write
            for tool in ("Bash", "Read"):
                took = 20 + d.below(3000)
                seconds = ["%.3f" % (t / 1000) for t in (at, at + took)]
                rows.append([session, step, "tool", tool] + seconds + [None] * 5 + [d.below(9000), int(d.below(5) == 0)])
                end, step = max(end, at + took), step + 1
            at = end
        if session == "lo001":
            rows.append([session, step, "llm", "<synthetic>", "%.3f" % (at / 1000), "%.3f" % (at / 1000), 0, 0, 0, 0, 0, None, None])
    return csv(header, rows)


@sample("lmcache_agent_steps.csv")
def lmcache_agent_steps():
    # time that goes back within a session; in tb, rows without output are the user's turns
    d = Draw(25)
    rows = []
    for session in ("ms00", "tb00"):
        start, size, before = 1700000000 * 10**6, 0, 0
        for step in range(8):
            at = start + 900000 * step - (2500000 if step == 3 else 0)
            user = session == "tb00" and step % 3 == 0
            size = size + 100 + d.below(900)
            rows.append((session, step, at, at - start, size, 0 if user else 20 + d.below(400), before))
            before = size
    return csv("session,step,timestamp_us,rel_us,input_chars,output_chars,common_prefix_chars", rows)


@sample("calls.csv")
def calls():
    # gsim's own: every column
    header = (
        "arrival,input_tokens,output_tokens,session,parent,name,service,kind,outcome,cached_tokens,took,unit,"
        "block_tokens,blocks"
    )
    return csv(
        header,
        [
            ("0", 1200, 80, "a", None, "a1", "chat", "llm", "ok", None, "2.5", "tokens", 512, "1-2-3"),
            ("2.5", None, 300, "a", "a1", None, "search", "tool", "failed", None, "0.75", "characters", None, None),
            ("3.25", 1580, 40, "a", "a1", "a2", "chat", "llm", "ok", 1200, "1.125", "tokens", 512, "1-2-3-18446744073709551615"),
            ("4.000000001", 700, None, None, None, "b1", "chat", "llm", "open", None, None, "tokens", None, None),
            ("5", 77, 1, None, None, "c1", "draw", "image", "ok", None, "30", "tokens", None, None),
        ],
    )


# ---- The rest is machinery -----------------------------------------------------------------------------------------------


def main(folder):
    for name, function in SAMPLES.items():
        made = function()
        with open(os.path.join(folder, name), "wb") as f:
            f.write(made if isinstance(made, bytes) else made.encode())


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "..", "traces", "samples"))
