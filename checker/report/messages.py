"""Every sentence the judge says, in English and Chinese.

Templates take names in braces. Lower case, no full stop, code in backticks.
"""

from __future__ import annotations

from .argument_sentences import ARGUMENTS
from .cells import told
from .crash_sentences import CRASHES
from .plurals import filled
from .sentences import SENTENCES

__all__ = ["MESSAGES", "say"]


def say(key: str, language: str, **values: object) -> str:
    """Return a sentence in a language, filled in; a notebook's line is told by its cell."""
    if "line" in values:
        values["line"] = told(values["line"], language)
    return filled(MESSAGES[key][language], **values)


MESSAGES: dict[str, dict[str, str]] = {
    **SENTENCES,
    **CRASHES,
    **ARGUMENTS,
    "verbatim": {"en": "{text}", "zh": "{text}"},
    "file-empty": {
        "en": "the file is empty",
        "zh": "文件是空的",
    },
    "file-is-folder": {
        "en": "this is a folder; give the file in it that holds your class",
        "zh": "这是一个文件夹，请给出其中写有你的类的那个文件",
    },
    "file-too-large": {
        "en": "the file is larger than {size} MB; give only the code for the kata",
        "zh": "文件超过 {size} MB，请只给出这道题的代码",
    },
    "file-unreadable": {
        "en": "cannot read the file: {reason}",
        "zh": "读不了这个文件：{reason}",
    },
    "file-utf16": {
        "en": "the file is UTF-16; save it as UTF-8",
        "zh": "文件是 UTF-16 编码，请另存为 UTF-8",
    },
    "file-not-utf8": {
        "en": "the file is not {name} (line {line}); save it as UTF-8",
        "zh": "文件不是 {name} 编码（第 {line} 行），请另存为 UTF-8",
    },
    "file-encoding": {
        "en": "the file declares the encoding `{name}`, which Python does not know",
        "zh": "文件声明的编码是 `{name}`，Python 不认识这种编码",
    },
    "file-silent": {
        "en": "nothing can be read from it; give a file that has already been written",
        "zh": "从里面什么也读不到，请给出一个已经写好的文件",
    },
    "file-null-byte": {
        "en": "line {line} contains a null byte; this does not look like Python source",
        "zh": "第 {line} 行里有空字节（null byte），这不像是 Python 源码",
    },
    "file-unparsable": {
        "en": "Python cannot parse the file: {reason}",
        "zh": "Python 解析不了这个文件：{reason}",
    },
    "notebook-broken": {
        "en": "the notebook is not valid JSON; open it in Jupyter and save it once",
        "zh": "这个 notebook 不是合法的 JSON，请在 Jupyter 里打开并重新保存一次",
    },
    "notebook-no-code": {
        "en": "the notebook has no code cell with Python in it",
        "zh": "这个 notebook 里没有写着 Python 的代码单元",
    },
    "syntax": {
        "en": "line {line} is not valid Python: {reason}",
        "zh": "第 {line} 行不是合法的 Python：{reason}",
    },
    "syntax-odd-character": {
        "en": "line {line} contains {code} ({name}), which Python cannot read; such characters often come along when code is pasted from a web page, so replace it with a plain space or sign",
        "zh": "第 {line} 行有字符 {code}（{name}），Python 不认识它；从网页粘贴代码时常会带进来，"
        "请换成普通的空格或符号",
    },
    "syntax-odd-character-plain": {
        "en": "line {line} contains `{character}` ({name}), which Python cannot read; write "
        "`{plain}`",
        "zh": "第 {line} 行有 `{character}`（{name}），Python 不认识它；请写 `{plain}`",
    },
    "syntax-too-deep": {
        "en": "line {line} nests deeper than Python can read; spread it over several statements",
        "zh": "第 {line} 行嵌套太深，Python 读不了；请拆成几条语句",
    },
    "in-cell": {"en": "code cell {cell}: {text}", "zh": "第 {cell} 个代码单元：{text}"},
    "syntax-tabs": {
        "en": "line {line} mixes tabs and spaces; use only spaces",
        "zh": "第 {line} 行混用了 tab 和空格，请只用空格",
    },
    "load-raised": {
        "en": "running the file stopped{at}: {kind}: {reason}",
        "zh": "运行文件时{at}停下：{kind}：{reason}",
    },
    "load-keep": {
        "en": 'keep only what the kata asks for, or put trials under `if __name__ == "__main__":`',
        "zh": '请只留下题目要的代码，或把试跑的代码放到 `if __name__ == "__main__":` 下面',
    },
    "load-import": {
        "en": "{on}`{name}` is imported, which is not installed here; install it or do without it",
        "zh": "{on}导入了 `{name}`，这里没有安装；请安装它，或者不用它",
    },
    "load-misspelt": {
        "en": "{on}{reason}; you probably meant `{meant}`",
        "zh": "{on}{reason}；想写的大概是 `{meant}`",
    },
    "no-class": {
        "en": "no class in the file can be judged; {kata} needs `{wanted}`, a class with a `forward`",
        "zh": "文件里没有可以评判的类；{kata} 要找的是 `{wanted}`，一个带 `forward` 的类",
    },
    "no-class-named": {
        "en": "there is no class called `{name}` in the file; found: {found}",
        "zh": "文件里没有叫 `{name}` 的类；找到的有：{found}",
    },
    "class-unclear": {
        "en": "several classes could be the one to judge: {found}; say which with `--class NAME`",
        "zh": "有几个类都可能是要评判的：{found}；请用 `--class NAME` 指明",
    },
    "init-misspelt": {
        "en": "line {line} defines `{name}`; Python calls `{meant}`, with two underscores on "
        "each side",
        "zh": "第 {line} 行定义了 `{name}`；Python 调用的是 `{meant}`，两边各两个下划线",
    },
    "forward-misspelt": {
        "en": "line {line} defines `{name}`; torch calls `forward`",
        "zh": "第 {line} 行定义了 `{name}`；torch 调用的是 `forward`",
    },
    "unwritten": {
        "en": "not written yet: line {line} still raises NotImplementedError",
        "zh": "还没有写：第 {line} 行仍在抛出 NotImplementedError",
    },
    "hollow": {
        "en": "not written yet: there is no code in `{name}` (line {line})",
        "zh": "还没有写：`{name}` 里还没有代码（第 {line} 行）",
    },
    "construct-raised": {
        "en": "`{name}({given})` raised {kind}{at}: {reason}",
        "zh": "`{name}({given})` {at}抛出 {kind}：{reason}",
    },
    "forward-raised": {
        "en": "the first plain call, {call}, raised {kind}{at}: {reason}",
        "zh": "第一次普通调用 {call} {at}抛出 {kind}：{reason}",
    },
    "forward-missing": {
        "en": "`{name}` has no forward method",
        "zh": "`{name}` 没有 forward 方法",
    },
    "returns-nothing": {
        "en": "`{name}` returned {kind} instead of a tensor; is a `return` missing?",
        "zh": "`{name}` 返回的是 {kind}，应该返回一个张量；是不是漏了 `return`？",
    },
    "returns-other": {
        "en": "`{name}` returned {kind} where a tensor is wanted",
        "zh": "`{name}` 返回的是 {kind}，应该返回一个张量",
    },
    "returns-array": {
        "en": "`{name}` returned a NumPy array; tensors come in, and a tensor has to come out",
        "zh": "`{name}` 返回的是 NumPy 数组；传入的是张量，返回的也应是张量",
    },
    "ended-timeout": {
        "en": "no answer within {seconds:g} s while {phase}; everything the code had started was stopped",
        "zh": "在{phase}时 {seconds:g} 秒内没有回应，它启动的一切都已结束",
    },
    "ended-processor": {
        "en": "the code used up its {seconds:g} s of processor time while {phase}; everything it had started was stopped",
        "zh": "在{phase}时用完了 {seconds:g} 秒处理器时间，它启动的一切都已结束",
    },
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
    "bench-raised": {"en": "raised {kind}: {reason}", "zh": "抛出 {kind}：{reason}"},
    "bench-timeout": {"en": "no answer in time, stopped", "zh": "没有及时回应，已被结束"},
    "bench-memory": {"en": "too much memory, stopped", "zh": "占用内存过多，已被结束"},
    "bench-crash": {"en": "its process ended", "zh": "进程中途结束了"},
    "bench-garbled": {"en": "reported impossible times", "zh": "它报告的时间不可能是真的"},
    "bench-forbidden": {"en": "used {name}", "zh": "用到了 {name}"},
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
    "judge-lost": {"en": "its process ended", "zh": "它的进程中途结束了"},
    # Checks: what was tried.
    "waits": {"en": "until {check} passes", "zh": "等 {check} 通过"},
    "not-asked": {"en": "not asked for in this kata", "zh": "这道题不要求"},
    "rules-pass": {
        "en": "no fused attention call at run time",
        "zh": "运行时没有调用现成的 attention",
    },
    "structure-pass": {
        "en": "everything the kata asks for is there",
        "zh": "题目要求的部分都在",
    },
    "parameters-pass": {
        "en": "{count} {count:parameter|parameters}, roles found by what they do",
        "zh": "{count} 个参数，按作用认出各自的角色",
    },
    "shape-pass": {
        "en": "(batch, length, hidden_dim) in and out",
        "zh": "输入输出都是 (batch, length, hidden_dim)",
    },
    "values-pass": {
        "en": "widths {widths}, heads {heads}, float64",
        "zh": "宽度 {widths}，head 数 {heads}，float64",
    },
    "values-pass-one": {"en": "widths {widths}, float64", "zh": "宽度 {widths}，float64"},
    "mask-pass": {"en": "form {forms}; {dtypes}; {kinds}", "zh": "形状 {forms}；{dtypes}；{kinds}"},
    "gradients-pass": {"en": "inputs and every parameter", "zh": "输入和每个参数"},
    "dropout-pass": {
        "en": "on the weights, rate {rate:g}, off in eval",
        "zh": "作用在权重上，比例 {rate:g}，eval 时关闭",
    },
    "dropout-beside": {
        "en": "not on the weights, but where it may act, rate {rate:g}, off in eval",
        "zh": "没有作用在权重上，但它的位置是允许的，比例 {rate:g}，eval 时关闭",
    },
    "dropout-unknown": {
        "en": "made by hand, or on a tensor that the model answer does not make: where it acts is "
        "not judged",
        "zh": "是手写的，或者作用在参考答案里没有的张量上：不评判它的位置",
    },
    "dropout-none": {"en": "no dropout, and none is required", "zh": "没有 dropout，也不要求"},
    "dtypes-pass": {"en": "{dtypes}", "zh": "{dtypes}"},
    "stability-pass": {"en": "inputs times 30", "zh": "输入放大 30 倍"},
    "lengths-pass": {"en": "lengths {lengths}", "zh": "长度 {lengths}"},
    "causality-pass": {
        "en": "a prefix's outputs stay the same as it grows",
        "zh": "前缀变长时，已有输出不变",
    },
    "purity-pass": {
        "en": "inputs unchanged, no state kept between calls",
        "zh": "不改输入，调用之间不留状态",
    },
    # Failures.
    "fail-values": {
        "en": "{failed} of {cases} {cases:case|cases}; the smallest: {case}",
        "zh": "{cases} 个用例中 {failed} 个不符；最小的是：{case}",
    },
    "fail-raised": {
        "en": "{case}: {kind} at line {line}: {reason}",
        "zh": "{case}：第 {line} 行抛出 {kind}：{reason}",
    },
    "fail-raised-nowhere": {
        "en": "{case}: {kind}: {reason}",
        "zh": "{case}：抛出 {kind}：{reason}",
    },
    "fail-shape": {
        "en": "{case}: the output is {actual}, expected {expected}",
        "zh": "{case}：输出形状 {actual}，应为 {expected}",
    },
    "fail-frozen": {
        "en": "nothing learns in the place of {names}: what stands there is frozen, or no parameter",
        "zh": "{names} 的位置上没有东西在学：那里的权重被冻结了，或者不是 parameter",
    },
    "fail-unregistered": {
        "en": "`parameters()` does not find {names}, so no optimiser would train it; use nn.ModuleList, nn.ParameterList or a plain attribute",
        "zh": "`parameters()` 找不到 {names}，优化器不会训练它；请用 nn.ModuleList、"
        "nn.ParameterList 或直接设为属性",
    },
    "fail-not-module": {
        "en": "`{name}` is not an nn.Module, so it has no `parameters()`, `.to()` or `.eval()`",
        "zh": "`{name}` 不是 nn.Module，没有 `parameters()`、`.to()` 和 `.eval()`",
    },
    "fail-roles": {
        "en": "however its parameters are assigned to query, key, value and output, the result is not attention",
        "zh": "参数怎么对应 query、key、value 和 output，都得不到注意力的结果",
    },
    "fail-roles-at": {
        "en": "at {sizes}, however its parameters are assigned, the result is not attention",
        "zh": "在 {sizes} 时，参数怎么对应都得不到注意力的结果",
    },
    "dtype-narrowed": {
        "en": "{dtype} input gives {narrowed} output; a dtype is hard-coded",
        "zh": "输入是 {dtype}，输出却是 {narrowed}；代码里写死了 dtype",
    },
    "fail-no-mask": {
        "en": "forward takes no mask; {kata} asks for `{wanted}`",
        "zh": "forward 没有接收 mask；{kata} 要求 `{wanted}`",
    },
    "fail-gradients": {
        "en": "the gradient with respect to {name} is off by {off:.2g} of its scale ({case})",
        "zh": "对 {name} 的梯度，偏差是其尺度的 {off:.2g} 倍（{case}）",
    },
    "fail-detached": {
        "en": "no gradient reaches {name} ({case})",
        "zh": "梯度到不了 {name}（{case}）",
    },
    "fail-dtype": {
        "en": "{dtype}: {reason}",
        "zh": "{dtype}：{reason}",
    },
    "fail-dtype-values": {
        "en": "{dtype}: off by {off:.2g} standard deviations, {bound:.2g} allowed",
        "zh": "{dtype}：偏差 {off:.2g} 个标准差，允许 {bound:.2g}",
    },
    "fail-dtype-case": {
        "en": "{dtype}: off by {off:.2g} standard deviations, {bound:.2g} allowed; {case}",
        "zh": "{dtype}：偏差 {off:.2g} 个标准差，允许 {bound:.2g}；{case}",
    },
    "under-autocast": {"en": "autocast to {dtype}", "zh": "autocast 到 {dtype}"},
    "fail-causality": {
        "en": "the outputs of a prefix of {length} {length:position|positions} change once later positions are there",
        "zh": "后面的位置出现之后，前 {length} 个位置的输出变了",
    },
    "device-pass": {
        "en": "on a simulated GPU",
        "zh": "在模拟的 GPU 上",
    },
    "fail-device": {
        "en": "on a simulated GPU, line {line}: {reason}",
        "zh": "在模拟的 GPU 上，第 {line} 行：{reason}",
    },
    "device-no-start": {
        "en": "{kind} was found but failed to start: {reason}; judged with a simulated device instead",
        "zh": "找到了 {kind}，但启动失败：{reason}；改用模拟的设备评判",
    },
    "device-asked-no-start": {
        "en": "{kind} failed to start: {reason}; `--device auto` judges with a simulated device where none starts",
        "zh": "{kind} 启动失败：{reason}；`--device auto` 会在无法启动时改用模拟的设备",
    },
    "device-none": {"en": "torch sees no such device", "zh": "torch 找不到这样的设备"},
    "device-ran": {
        "en": "on {name}: {dtypes}, the same call twice",
        "zh": "在 {name} 上：{dtypes}，同样的调用两次",
    },
    "device-tf32": {
        "en": "; with tf32 on, off by {off:.1g} standard deviations",
        "zh": "；开启 tf32 时偏差 {off:.1g} 个标准差",
    },
    "device-elsewhere": {
        "en": "; but not on {place}, line {line}: {reason}",
        "zh": "；但在 {place} 上不行，第 {line} 行：{reason}",
    },
    "device-dropout": {
        "en": "dropout does not behave there as it does on the CPU",
        "zh": "dropout 的行为和在 CPU 上不一样",
    },
    "fail-device-raised": {
        "en": "on {name}, line {line}: {reason}",
        "zh": "在 {name} 上，第 {line} 行：{reason}",
    },
    "fail-device-finding": {"en": "on {name}: {what}", "zh": "在 {name} 上：{what}"},
    "fail-modified": {
        "en": "forward changes its argument {names} in place",
        "zh": "forward 原地修改了参数 {names}",
    },
    "fail-state": {
        "en": "the same call gives a different output after other calls",
        "zh": "同样的调用，在别的调用之后结果变了",
    },
    "fail-kept": {
        "en": "a call uses what an earlier call of the same shapes was given: something is kept "
        "between calls",
        "zh": "一次调用用到了先前同形状调用的输入：有东西留在了两次调用之间",
    },
    "fail-random": {
        "en": "two identical calls in eval mode give different outputs",
        "zh": "eval 模式下两次相同的调用，输出不同",
    },
    # Remarks.
    "prints": {
        "en": "`print` runs on every call; take it out before you hand the code in",
        "zh": "每次调用都会执行 `print`，交卷前请删掉",
    },
    "fill-overflows-half": {
        "en": "{fill} does not fit float16 (beyond ±65504); `torch.finfo(scores.dtype).min` "
        "or -inf fit every dtype",
        "zh": "{fill} 超出 float16 的范围（±65504）；`torch.finfo(scores.dtype).min` 或 -inf "
        "适用于所有 dtype",
    },
    "nan-on-empty-row": {
        "en": "a query with nothing to attend to gets NaN; be ready to explain what should happen there",
        "zh": "没有任何可看位置的 query 会得到 NaN，面试时要能说清怎么处理",
    },
    "dropout-unused": {
        "en": "`{name}` is created but never called",
        "zh": "`{name}` 创建了，却从未调用",
    },
    "dropout-not-applied": {
        "en": "no dropout on the weights; it is optional here, but worth mentioning",
        "zh": "权重上没有 dropout；这里可选，但值得提一句",
    },
    "dropout-argument-ignored": {
        "en": "the constructor takes a dropout rate, but nothing is dropped at that rate",
        "zh": "构造函数收下了 dropout 比例，却没有按它丢弃任何东西",
    },
    "returns-tuple": {
        "en": "forward returns a tuple; its first element was judged",
        "zh": "forward 返回元组，评判的是第一个元素",
    },
    "returns-tuple-later": {
        "en": "forward returns a tuple with the output in place {place}; callers expect it first",
        "zh": "forward 返回元组，输出在第 {place} 个位置；调用者通常期望它在最前面",
    },
    "mask-form": {
        "en": "the mask is accepted as {forms}, {dtypes}; the kata asks for {wanted}, any dtype",
        "zh": "mask 只接受 {forms}、{dtypes}；题目要求 {wanted}，任意 dtype",
    },
    "output-projection-extra": {
        "en": "there is an output projection, which this kata does not ask for",
        "zh": "多了一个输出投影，这道题没有要求",
    },
    "parameter-unused": {
        "en": "`{name}` changes nothing in the output",
        "zh": "`{name}` 对输出没有任何作用",
    },
    # Mistakes that have evidence of their own.
    "forbidden-call": {
        "en": "{call} does all the work; this kata asks for it by hand",
        "zh": "{call} 把整件事都做完了，这里要求手写",
    },
    "not-fused": {
        "en": "query, key and value come from separate projections; this kata asks for one",
        "zh": "query、key、value 来自各自的投影；这道题要求合成一个",
    },
    "output-projection-missing": {
        "en": "there is no output projection after the heads are merged",
        "zh": "各 head 合并之后没有输出投影",
    },
    "query-key-swapped": {
        "en": "`{name}` is named as the {said} projection but makes the {does}; trained weights would be loaded into the wrong place",
        "zh": "`{name}` 按名字是 {said} 的投影，实际算出的是 {does}；加载训练好的权重会放错位置",
    },
    "value-not-projected": {
        "en": "the value is the input itself; `{name}` is applied only after the weights",
        "zh": "value 直接用了输入；`{name}` 在加权之后才起作用",
    },
    "weights-frozen": {
        "en": "a weight is frozen, so that no optimiser changes it: {names}",
        "zh": "有权重被冻结，优化器不会更新它：{names}",
    },
    "parameters-not-registered": {
        "en": "`parameters()` does not find {names}, so no optimiser would train it",
        "zh": "`parameters()` 找不到 {names}，优化器不会训练它",
    },
    "mask-inverted": {
        "en": "the mask is read the wrong way round: 1 means may attend; for code that expects True = masked, use `--mask drop`",
        "zh": "mask 的含义反了：1 表示可以看；若约定 True = 遮住，请用 `--mask drop` 评判",
    },
    "mask-added": {
        "en": "the mask is added to the scores as it is; where it is 0, the scores have to be filled with -inf; for code that expects a mask of 0 and -inf, use `--mask additive`",
        "zh": "mask 被原样加到了 scores 上；应把 0 的位置填成 -inf；若约定传入 0 和 -inf，"
        "请用 `--mask additive` 评判",
    },
    "mask-ignored": {
        "en": "the mask changes nothing",
        "zh": "mask 没有起作用",
    },
    "detached": {
        "en": "no gradient reaches {name}; look for `.detach()`, `.data` or `no_grad`",
        "zh": "梯度到不了 {name}；检查 `.detach()`、`.data` 或 `no_grad`",
    },
    "overwritten-in-place": {
        "en": "a tensor that the backward pass still needs is changed in place; make a new one, as in `state = state + …`",
        "zh": "反向传播还要用到的张量被原地改掉了；应当另建一个，如 `state = state + …`",
    },
    "dropout-missing": {
        "en": "no dropout acts on the weights in train mode",
        "zh": "train 模式下没有 dropout 作用在权重上",
    },
    "dropout-in-eval": {
        "en": "dropout is active in eval mode; `F.dropout` needs `training=self.training`",
        "zh": "eval 模式下 dropout 仍在起作用；`F.dropout` 需要 `training=self.training`",
    },
    "dropout-before-softmax": {
        "en": "dropout acts before the softmax, where a dropped score of 0 still gets weight; apply it to the weights",
        "zh": "dropout 放在了 softmax 之前：被置 0 的分数仍会分到权重；应把 dropout 用在权重上",
    },
    "semicolon": {"en": "; ", "zh": "；"},
    "crash-shapes": {
        "en": "on that line: {shapes}",
        "zh": "这一行上：{shapes}",
    },
    "crash-view": {
        "en": "`view` only reinterprets memory, and after a transpose the memory is in another order; call `.contiguous()` first, or use `reshape`",
        "zh": "`view` 只是换一种方式看同一块内存，而 transpose 之后内存顺序已经变了；先调用 `.contiguous()`，或改用 `reshape`",
    },
    "crash-linear": {
        "en": "in a matrix product, the last axis of the first must be as long as the rows of the second: {part2} is not {part3}; look at the layer's in_features, or at what was transposed or merged before",
        "zh": "矩阵乘法要求前者的最后一维等于后者的行数：{part2} 与 {part3} 不等；检查这一层的 in_features，以及之前的 transpose 或合并",
    },
    "crash-dtype": {
        "en": "two dtypes meet in one operation; make constants and masks in the input's dtype, and convert scores back with `.to(x.dtype)`",
        "zh": "同一个运算里出现了两种 dtype；常量和 mask 应按输入的 dtype 创建，转换过的 scores 要用 `.to(x.dtype)` 转回来",
    },
    "crash-overflow": {
        "en": 'the number does not fit into the tensor\'s dtype: float16 ends at 65504; fill with `float("-inf")` or `torch.finfo(scores.dtype).min`',
        "zh": '这个数超出了张量 dtype 的范围：float16 最大到 65504；请填 `float("-inf")` 或 `torch.finfo(scores.dtype).min`',
    },
    "crash-reshape": {
        "en": "the new shape ({part1}) does not hold the {part2} values there are; take the sizes from the tensor itself, `x.shape`, not from the constructor or from another sequence",
        "zh": "新形状（{part1}）装不下原有的 {part2} 个数；尺寸应取自张量本身的 `x.shape`，而不是构造函数或另一个序列",
    },
    "crash-broadcast": {
        "en": "axes are matched from the right, and {part1} and {part2} differ where neither is 1; where a tensor lacks an axis, `unsqueeze` inserts one of size 1 (`unsqueeze(1)` for a mask's heads); a mask that is too long has to be cut to the current length",
        "zh": "广播从最右边的维度对起，{part1} 与 {part2} 不等且都不是 1；哪个张量缺一维，就用 `unsqueeze` 在那里补上大小为 1 的维度（mask 的 head 维用 `unsqueeze(1)`）；mask 太长则按当前长度切片",
    },
    "crash-batches": {
        "en": "a batched product takes two tensors with the same leading axes, (batch, n, m) and (batch, m, p); fold the heads into the batch on both sides, or use `@`, which broadcasts",
        "zh": "批量矩阵乘要求两边前面的维度相同：(batch, n, m) 与 (batch, m, p)；两边都要把 head 并进 batch，或改用会广播的 `@`",
    },
    "crash-axis": {
        "en": "the tensor has fewer axes than this number needs; count them, or count from the end with -1 and -2",
        "zh": "张量没有这么多维；数一数维度，或用 -1、-2 从末尾数起",
    },
    "crash-bool": {
        "en": "booleans cannot be subtracted or negated; invert a mask with `~mask`, or turn it into a number first",
        "zh": "布尔张量不能相减或取负；取反请用 `~mask`，或先转成数",
    },
    "crash-invert": {
        "en": "`~` inverts booleans, and this mask holds floats; compare it first, `mask == 0`",
        "zh": "`~` 只对布尔（或整数）取反，而这个 mask 是浮点；先比较一下：`mask == 0`",
    },
    "crash-mask-dtype": {
        "en": "`masked_fill` needs a boolean mask; compare it first, `mask == 0`",
        "zh": "`masked_fill` 要的是布尔 mask；先比较一下：`mask == 0`",
    },
    "crash-fill-value": {
        "en": "`masked_fill` fills with one number, not with a tensor that has axes",
        "zh": "`masked_fill` 只能填一个数，不能填带维度的张量",
    },
    "crash-truth": {
        "en": "`if` needs one yes or no, and a mask holds many; ask `if mask is not None`",
        "zh": "`if` 需要一个是或否，而 mask 有很多个；请写 `if mask is not None`",
    },
    "crash-leaf": {
        "en": "a parameter is changed in place, which autograd does not allow; make a new tensor",
        "zh": "参数被原地修改了，求梯度时不允许；请生成一个新张量",
    },
    "crash-in-place": {
        "en": "a value that the backward pass still needs was overwritten in place; make a new one (no `+=`, and no method whose name ends in an underscore)",
        "zh": "反向传播还要用的值被原地改掉了；请另建一个（不用 `+=`，也不用名字以下划线结尾的方法）",
    },
    "crash-call": {
        "en": "a tensor is called like a function; attributes such as `.T`, `.mT` and `.shape` take no parentheses",
        "zh": "把张量当函数调用了；`.T`、`.mT`、`.shape` 这类属性后面不加括号",
    },
    "crash-argument": {
        "en": "the call leaves out an argument that has no default",
        "zh": "调用时漏了一个没有默认值的参数",
    },
    "crash-none": {
        "en": "a value is None here: perhaps a mask that was not given, or a function that ends without `return`",
        "zh": "这里的值是 None：可能是没有传 mask，也可能是某个函数忘了 `return`",
    },
    "crash-super": {
        "en": "a constructor has to begin with `super().__init__()`; without it a module cannot hold layers",
        "zh": "构造函数第一行要写 `super().__init__()`；否则模块放不下任何层",
    },
    "place-output": {"en": "the output", "zh": "输出"},
    "dropout-shared": {
        "en": "dropout drops many weights at once; each weight has to be dropped by itself",
        "zh": "dropout 一次丢弃了许多权重；每个权重应当各自独立地丢弃",
    },
    "dropout-along-key": {
        "en": "dropout drops all weights of a query at once; each weight has to be dropped by itself",
        "zh": "dropout 把一个 query 的权重整行丢弃了；每个权重应当各自独立地丢弃",
    },
    "dropout-along-query": {
        "en": "dropout drops a key for all queries at once; each weight has to be dropped by itself",
        "zh": "dropout 对所有 query 丢弃同一个 key；每个权重应当各自独立地丢弃",
    },
    "dropout-along-head": {
        "en": "dropout drops the same weights in every head; each has to be dropped by itself",
        "zh": "dropout 在每个 head 里丢弃的都是同样的权重；每个权重应当各自独立地丢弃",
    },
    "dropout-along-sample": {
        "en": "dropout drops the same weights in every sample; each has to be dropped by itself",
        "zh": "dropout 在每个样本里丢弃的都是同样的权重；每个权重应当各自独立地丢弃",
    },
    "place-elsewhere": {"en": "another step", "zh": "别的步骤"},
    "dropout-on-output": {
        "en": "dropout acts on {where}, not on the weights",
        "zh": "dropout 作用在{where}上，而不是权重上",
    },
    "dropout-rate-wrong": {
        "en": "dropout drops {actual:.2g} of the weights, but {asked:.2g} was asked for",
        "zh": "要求的 dropout 比例是 {asked:.2g}，实际丢弃了 {actual:.2g}",
    },
    "dropout-scale": {
        "en": "the weights that are kept are multiplied by {actual:.3g}; at rate {rate:.2g} it should be {wanted:.3g}",
        "zh": "保留的权重被乘以 {actual:.3g}；比例为 {rate:.2g} 时应乘以 {wanted:.3g}",
    },
    "dtype-fixed": {
        "en": "a dtype is hard-coded; use the input's: `x.dtype`",
        "zh": "代码里写死了 dtype；请用输入的：`x.dtype`",
    },
    "dtype-hardcoded": {
        "en": "a dtype is hard-coded, so {dtype} fails: {reason}",
        "zh": "代码里写死了 dtype，{dtype} 因此出错：{reason}",
    },
    "input-modified": {
        "en": "forward changes {names} in place, but the caller still uses it",
        "zh": "forward 原地修改了 {names}，而调用者还要用它",
    },
    "random-in-training": {
        "en": "train mode draws random numbers, and not to drop weights",
        "zh": "train 模式下用到了随机数，却不是用来丢弃权重的",
    },
    "nondeterministic": {
        "en": "two identical calls in eval mode differ",
        "zh": "eval 模式下两次相同的调用结果不同",
    },
    "causal-missing": {
        "en": "positions see what comes after them",
        "zh": "有的位置能看到它后面的内容",
    },
    "heads-merge-wrong-axes": {
        "en": "features are merged in a different order from the one they were split in",
        "zh": "合并时的特征顺序与拆分时不同",
    },
    "softmax-unstable": {
        "en": "large scores overflow: subtract the row's maximum before taking exp",
        "zh": "分数大时会溢出：exp 之前先减去每行最大值",
    },
    "its-weights": {"en": "its weights", "zh": "它的权重"},
    "it": {"en": "some weights or inputs", "zh": "部分权重或输入"},
    "view-needs-contiguous": {
        "en": "`view` needs contiguous memory, which transpose and permute do not leave; "
        "call `.contiguous()` first, or use `reshape`",
        "zh": "`view` 需要连续内存，而 transpose、permute 之后不再连续；先调用 `.contiguous()`，"
        "或改用 `reshape`",
    },
    "key-viewed-by-query-length": {
        "en": "keys and values are reshaped to the queries' length; take their own from key.shape",
        "zh": "key 和 value 用了 query 的长度来 reshape；应从 key.shape 取它们自己的长度",
    },
    "causal-not-sliced": {
        "en": "the causal mask has block_size rows, but the scores only as many as the input; slice it: `mask[:length, :length]`",
        "zh": "因果 mask 有 block_size 行，而 scores 只有输入那么长；要切片：`mask[:length, :length]`",
    },
    "length-fixed": {
        "en": "works only for some lengths; take the length from the input's shape",
        "zh": "只对某些长度有效；长度应从输入的 shape 取",
    },
    "batch-fixed": {
        "en": "works only for some batch sizes; take the batch size from the input's shape",
        "zh": "只对某些 batch 大小有效；batch 应从输入的 shape 取",
    },
    "batch-mixed": {
        "en": "samples in a batch influence one another; each one alone comes out right",
        "zh": "同一个 batch 里的样本互相影响；单独一个样本时是对的",
    },
    "heads-share-projection": {
        "en": "one small layer serves all heads, each on its own slice; every head needs its own projection from the full width",
        "zh": "所有 head 共用一个小的投影层，各自只看到自己的切片；每个 head 都应从完整宽度做自己的投影",
    },
    "device-hardcoded": {
        "en": "a device is hard-coded; make tensors on the input's device: `device=x.device`",
        "zh": "代码里写死了 device；新建张量要用输入的：`device=x.device`",
    },
    "no-array": {
        "en": "numpy takes what is on the CPU alone; stay with torch, which has the same functions",
        "zh": "numpy 只能用 CPU 上的张量；请一直用 torch，它有同样的函数",
    },
    "left-behind": {
        "en": "`{name}` is a plain attribute, which `.to()` leaves behind; use `register_buffer`",
        "zh": "`{name}` 是普通属性，`.to()` 不会带上它；请用 `register_buffer`",
    },
    "mask-not-buffer": {
        "en": "the mask is a plain attribute, which `.to()` leaves behind; use `register_buffer`",
        "zh": "mask 是普通属性，`.to()` 不会带上它；请用 `register_buffer`",
    },
    "projection-unused": {
        "en": "a projection is made but never used",
        "zh": "有一个投影创建了却没有用上",
    },
    # Cases, in words.
    "comma": {"en": ", ", "zh": "，"},
    "case-batch": {"en": "batch {batch}", "zh": "batch {batch}"},
    "case-length": {"en": "length {length}", "zh": "长度 {length}"},
    "case-lengths": {
        "en": "query length {queries}, key length {keys}",
        "zh": "query 长度 {queries}，key 长度 {keys}",
    },
    "case-mask-none": {"en": "no mask", "zh": "无 mask"},
    "case-mask-random": {"en": "random mask", "zh": "随机 mask"},
    "case-mask-padding": {"en": "padding mask", "zh": "padding mask"},
    "case-mask-causal": {"en": "causal mask", "zh": "因果 mask"},
    "case-mask-single": {"en": "one key per query", "zh": "每个 query 只看一个 key"},
    "case-mask-empty": {"en": "some queries with no key", "zh": "有的 query 没有 key 可看"},
    "case-gain": {"en": "inputs × {gain:g}", "zh": "输入 × {gain:g}"},
    "case-strided": {"en": "not contiguous", "zh": "内存不连续"},
    "case-train": {"en": "train mode", "zh": "train 模式"},
    "mask-kinds": {
        "en": "random, padding, causal, one key, no key",
        "zh": "随机、padding、因果、单个 key、没有 key",
    },
    "relation-factor": {
        "en": "every value is {factor} times the expected one",
        "zh": "每个值都是应有值的 {factor} 倍",
    },
    "relation-part": {
        "en": "{share} of the values are as expected, the rest are not",
        "zh": "有 {share} 的值与应有值相同，其余不同",
    },
    "relation-mixed": {
        "en": "the values are the expected ones, in other places",
        "zh": "值都对，只是放错了位置",
    },
    "relation-other": {
        "en": "it holds the values of `{name}`",
        "zh": "里面是 `{name}` 的值",
    },
}
