"""How a process ended, and what it was doing."""

from __future__ import annotations

__all__ = ["ENDS"]

ENDS: dict[str, dict[str, str]] = {
    # The far limit by the clock.
    "ended-timeout": {
        "en": "no answer within {seconds:g} s while {phase}; everything the code had started was stopped",
        "zh": "在{phase}时 {seconds:g} 秒内没有回应，它启动的一切都已结束",
    },
    # The limit on processor time.
    "ended-processor": {
        "en": "the code used up its {seconds:g} s of processor time while {phase}; everything it had started was stopped",
        "zh": "在{phase}时用完了 {seconds:g} 秒处理器时间，它启动的一切都已结束",
    },
    # All of its processes slept, for as many seconds as it may use the processor.
    "ended-idle": {
        "en": "the code slept or waited for {seconds:g} s while {phase}; everything it had started was stopped",
        "zh": "在{phase}时休眠或等待了 {seconds:g} 秒，它启动的一切都已结束",
    },
    "ended-memory": {
        "en": "stopped for using too much memory while {phase}; {memory} MB are allowed, `--memory MB` sets another limit",
        "zh": "在{phase}时占用内存过多，已被结束；允许 {memory} MB，可用 `--memory MB` 另设上限",
    },
    "ended-device-memory": {
        "en": "the GPU ran out of memory while {phase}; the inputs are small, so look for a tensor "
        "that grows or is far too large",
        "zh": "在{phase}时 GPU 内存不足；输入很小，请检查是否有张量过大或不断变大",
    },
    "ended-processes": {
        "en": "stopped for starting too many processes while {phase}",
        "zh": "在{phase}时启动了过多的进程，已被结束",
    },
    "ended-disk": {
        "en": "stopped for writing more than a gigabyte to disk while {phase}",
        "zh": "在{phase}时向磁盘写了超过 1 GB，已被结束",
    },
    # The connection ended while the process went on.
    "ended-closed": {
        "en": "the code closed its connection to the judge while {phase}; do not close files that your code did not open",
        "zh": "在{phase}时关闭了与评判程序的连接；不是自己打开的文件描述符，请不要去关",
    },
    "ended-garbled": {
        "en": "what came back while {phase} is not an answer; something wrote to the connection to the judge, or changed how Python itself behaves",
        "zh": "在{phase}时收到的不是回答；有代码写进了与评判程序的连接，或者改动了 Python 自身的行为",
    },
    "ended-crash": {
        "en": "the process ended with {how} while {phase}",
        "zh": "进程在{phase}时结束了，{how}",
    },
    # These are said in the table of `--bench`, where longer lengths are missing.
    "bench-raised": {"en": "raised {kind}: {reason}", "zh": "抛出 {kind}：{reason}"},
    "bench-timeout": {"en": "no answer in time, stopped", "zh": "没有及时回应，已被结束"},
    "bench-memory": {"en": "too much memory, stopped", "zh": "占用内存过多，已被结束"},
    "bench-crash": {"en": "its process ended", "zh": "进程中途结束了"},
    "bench-garbled": {"en": "reported impossible times", "zh": "它报告的时间不可能是真的"},
    "bench-forbidden": {"en": "used {name}", "zh": "用到了 {name}"},
    # These fill `{phase}`, by what the process last told.
    "phase-load": {"en": "the file was being loaded", "zh": "加载文件"},
    "phase-import": {"en": "the file was being loaded", "zh": "加载文件"},
    "phase-construct": {"en": "the object was being made", "zh": "创建对象"},
    "phase-first": {"en": "the object was being made and first called", "zh": "创建对象并首次调用"},
    "phase-forward": {"en": "forward was running", "zh": "运行 forward"},
    "phase-backward": {"en": "backward was running", "zh": "运行 backward"},
    "phase-run": {"en": "forward and backward were running", "zh": "运行 forward 和 backward"},
    "phase-device": {"en": "the code was running on the GPU", "zh": "在 GPU 上运行"},
    "at-line": {"en": "{phase} (line {line})", "zh": "{phase}（第 {line} 行）"},
    "exit-code": {"en": "exit status {code}", "zh": "退出码 {code}"},
    "exit-signal": {"en": "signal {code}", "zh": "信号 {code}"},
    "judge-fault": {
        "en": "the judge itself failed here ({reason}); please report this, with the file",
        "zh": "评判程序自己在这里出错了（{reason}）；请带上这个文件报告给我们",
    },
    "torch-missing": {
        "en": "PyTorch is not installed here, and nothing is judged without it; `attn-kata doctor` says what else is missing",
        "zh": "这里没有安装 PyTorch，没有它就无法评判；`attn-kata doctor` 会说还缺什么",
    },
    # Fills `judge-fault` where the judge's own process is gone.
    "judge-lost": {"en": "its process ended", "zh": "它的进程中途结束了"},
}
