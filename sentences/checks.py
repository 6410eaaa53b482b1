"""What a check found."""

from __future__ import annotations

__all__ = ["CHECKS"]

CHECKS: dict[str, dict[str, str]] = {
    # Checks: what was tried.
    # A check that means nothing until another passes.
    "waits": {"en": "until {check} passes", "zh": "等 {check} 通过"},
    # The kata's data asks for no such thing.
    "not-asked": {"en": "not asked for in this kata", "zh": "这道题不要求"},
    # Of a class; functions have `direct-pass-structure`.
    "structure-pass": {
        "en": "everything the kata asks for is there",
        "zh": "题目要求的部分都在",
    },
    # A layer is as wide as nobody asked.
    "fail-width": {
        "en": "`{name}` is {held} and has to be {wanted}: `{size}` says how wide it is",
        "zh": "`{name}` 的形状是 {held}，应为 {wanted}：宽度由 `{size}` 决定",
    },
    "parameters-pass": {
        "en": "{count} {count:parameter|parameters}, roles found by what they do",
        "zh": "{count} 个参数，按作用认出各自的角色",
    },
    # Dropout was seen on the weights, at the rate asked for.
    "dropout-pass": {
        "en": "on the weights, rate {rate:g}, off in eval",
        "zh": "作用在权重上，比例 {rate:g}，eval 时关闭",
    },
    # It acts elsewhere, in a kata that leaves its place open.
    "dropout-beside": {
        "en": "not on the weights, but where it may act, rate {rate:g}, off in eval",
        "zh": "没有作用在权重上，但它的位置是允许的，比例 {rate:g}，eval 时关闭",
    },
    # Train mode changes the output, and no reading of it explains how.
    "dropout-unknown": {
        "en": "made by hand, or on a tensor that the model answer does not make: where it acts is "
        "not judged",
        "zh": "是手写的，或者作用在参考答案里没有的张量上：不评判它的位置",
    },
    "dropout-none": {"en": "no dropout, and none is required", "zh": "没有 dropout，也不要求"},
    "causality-pass": {
        "en": "a prefix's outputs stay the same as it grows",
        "zh": "前缀变长时，已有输出不变",
    },
    # Failures.
    # The most common: values differ, or are not finite, in so many cases.
    "fail-values": {
        "en": "{failed} of {cases} {cases:case|cases}; the smallest: {case}",
        "zh": "{cases} 个用例中 {failed} 个不符；最小的是：{case}",
    },
    # A part of a result is wrong, or nothing but its order.
    "spots-part": {
        "en": "wrong at {axis} {wrong}, right at {axis} {right}",
        "zh": "{axis} 为 {wrong} 处不对，为 {right} 处正确",
    },
    "spots-result": {
        "en": "wrong in `{wrong}`, right in {right}",
        "zh": "`{wrong}` 不对，{right} 是对的",
    },
    "spots-order": {
        "en": "all values are right, but in another order along {axis}: {order}",
        "zh": "数值都对，只是沿 {axis} 的次序不同：{order}",
    },
    "fail-raised": {
        "en": "{case}: {kind} at line {line}: {reason}",
        "zh": "{case}：第 {line} 行抛出 {kind}：{reason}",
    },
    # No line of the file was running: torch's backward pass raised.
    "fail-raised-nowhere": {
        "en": "{case}: {kind}: {reason}",
        "zh": "{case}：抛出 {kind}：{reason}",
    },
    "fail-shape": {
        "en": "{case}: the output is {actual}, expected {expected}",
        "zh": "{case}：输出形状 {actual}，应为 {expected}",
    },
    # The outputs are right though weights of the model answer have nothing in their place.
    "fail-frozen": {
        "en": "nothing learns where {names} should be: what is there is frozen, or is not a parameter",
        "zh": "{names} 的位置上没有东西在学：那里的权重被冻结了，或者不是 parameter",
    },
    "fail-blocks": {
        "en": "{asked} blocks were asked for; the model has weights for {held}",
        "zh": "要的是 {asked} 个 block，模型里只有 {held} 个的权重",
    },
    # Tensors that act as weights are no parameters.
    "fail-unregistered": {
        "en": "`parameters()` does not find {names}, so no optimiser would train it; use nn.ModuleList, nn.ParameterList or a plain attribute",
        "zh": "`parameters()` 找不到 {names}，优化器不会训练它；请用 nn.ModuleList、"
        "nn.ParameterList 或直接设为属性",
    },
    "fail-no-parameter": {
        "en": "`parameters()` does not find {names}, so no optimiser would train it; make it an nn.Parameter",
        "zh": "`parameters()` 找不到 {names}，优化器不会训练它；请用 nn.Parameter",
    },
    "fail-not-module": {
        "en": "`{name}` is not an nn.Module, so it has no `parameters()`, `.to()` or `.eval()`",
        "zh": "`{name}` 不是 nn.Module，没有 `parameters()`、`.to()` 和 `.eval()`",
    },
    "fail-gradients": {
        "en": "the gradient with respect to {name} is off by {off:.2g} of its scale ({case})",
        "zh": "对 {name} 的梯度，偏差是其尺度的 {off:.2g} 倍（{case}）",
    },
    "fail-detached": {
        "en": "no gradient reaches {name} ({case})",
        "zh": "梯度到不了 {name}（{case}）",
    },
    # In a lower dtype it raises, or is wrong by more than a number.
    "fail-dtype": {
        "en": "{dtype}: {reason}",
        "zh": "{dtype}：{reason}",
    },
    # On a real device; the next one is on the CPU.
    "fail-dtype-values": {
        "en": "{dtype}: off by {off:.2g} standard deviations, {bound:.2g} allowed",
        "zh": "{dtype}：偏差 {off:.2g} 个标准差，允许 {bound:.2g}",
    },
    "fail-dtype-case": {
        "en": "{dtype}: off by {off:.2g} standard deviations, {bound:.2g} allowed; {case}",
        "zh": "{dtype}：偏差 {off:.2g} 个标准差，允许 {bound:.2g}；{case}",
    },
    # No real device was there to be tried.
    "device-pass": {
        "en": "on a simulated GPU",
        "zh": "在模拟的 GPU 上",
    },
    # What a pretended GPU found: tensors on two devices.
    "fail-device": {
        "en": "on a simulated GPU, line {line}: {reason}",
        "zh": "在模拟的 GPU 上，第 {line} 行：{reason}",
    },
    # One is there and does not start; with `--device NAME` the next one is said.
    "device-no-start": {
        "en": "{kind} was found but failed to start: {reason}; judged with a simulated device instead",
        "zh": "找到了 {kind}，但启动失败：{reason}；改用模拟的设备评判",
    },
    "device-asked-no-start": {
        "en": "{kind} failed to start: {reason}; `--device auto` judges with a simulated device where none starts",
        "zh": "{kind} 启动失败：{reason}；`--device auto` 会在无法启动时改用模拟的设备",
    },
    "kata-lacking": {
        "en": "this kata needs {name}, which is not installed here: `pip install 'attn-kata[triton]'` (Linux only)",
        "zh": "这道题需要 {name}，这里没有安装：`pip install 'attn-kata[triton]'`（仅限 Linux）",
    },
    "device-none": {"en": "torch sees no such device", "zh": "torch 找不到这样的设备"},
    "device-ran": {
        "en": "on {name}: {dtypes}, the same call twice",
        "zh": "在 {name} 上：{dtypes}，同样的调用两次",
    },
    # These three are added to `device-ran`.
    "device-tf32": {
        "en": "; with tf32 on, off by {off:.1g} standard deviations",
        "zh": "；开启 tf32 时偏差 {off:.1g} 个标准差",
    },
    "device-kernel-tf32": {
        "en": '; float32 products are made of tf32 there, off by {off:.1g} standard deviations (`input_precision="ieee"` in `tl.dot` keeps float32)',
        "zh": '；其中的 float32 乘法用了 tf32，偏差 {off:.1g} 个标准差（在 `tl.dot` 里写 `input_precision="ieee"` 可保持 float32）',
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
    # The same call differs after one of another shape, or on one object and not on two.
    "fail-state": {
        "en": "the same call gives a different output after other calls",
        "zh": "同样的调用，在别的调用之后结果变了",
    },
    # A call goes wrong after one of the same shapes that holds something else.
    "fail-kept": {
        "en": "a call uses what an earlier call of the same shapes was given: something is kept "
        "between calls",
        "zh": "一次调用用到了先前同形状调用的输入：有东西留在了两次调用之间",
    },
    # Other weights were written into the object between two calls.
    "fail-stale": {
        "en": "after its weights changed, as in an optimizer's step, the object still uses the "
        "former ones: something made of them is kept between calls",
        "zh": "权重变了之后（例如优化器走了一步），对象用的仍是原来的权重："
        "有由权重算出的东西留在了两次调用之间",
    },
    # An object that was called in float64 was brought to float32, and called.
    "fail-unturned": {
        "en": "an object that was called in float64 and then converted to float32 goes wrong, where a new "
        "one does not: something of the former dtype is kept between calls",
        "zh": "先用 float64 调用过、再转成 float32 的对象会出错，新建的不会："
        "有原来 dtype 的东西留在了两次调用之间",
    },
    # It differs at once, on new objects too.
    "fail-random": {
        "en": "two identical calls in eval mode give different outputs",
        "zh": "eval 模式下两次相同的调用，输出不同",
    },
    # Another number of results than asked for.
    "direct-count": {
        "en": "{case}: {count} {count:tensor|tensors} came back, but {wanted} {wanted:is|are} asked for ({names})",
        "zh": "{case}：返回了 {count} 个张量，题目要 {wanted} 个（{names}）",
    },
    # Beside what is asked for a result is to be None.
    "direct-alone": {
        "en": "{case}: the result came back by itself, but a tuple is asked for, with None in the place of {names}",
        "zh": "{case}：结果是单独返回的，而题目要的是元组，{names} 的位置上是 None",
    },
    "direct-not-none": {
        "en": "{case}: {names} came back, but None is asked for there",
        "zh": "{case}：返回了 {names}，而这里要的是 None",
    },
    "direct-dtype": {"en": "{case}: {text}", "zh": "{case}：{text}"},
    "direct-dtype-kind": {
        "en": "`{name}` is {actual}, but {wanted} are asked for",
        "zh": "`{name}` 的 dtype 是 {actual}，应该是{wanted}",
    },
    "direct-dtype-of": {
        "en": "`{name}` is {actual}, but `{source}` is {wanted}: they should have the same dtype",
        "zh": "`{name}` 的 dtype 是 {actual}，而 `{source}` 是 {wanted}；两者应当相同",
    },
    "direct-shape": {
        "en": "{case}: `{name}` is {actual}, expected {expected}",
        "zh": "{case}：`{name}` 的形状是 {actual}，应为 {expected}",
    },
    # An argument that the kata gives in some cases is not there at all.
    "direct-missing": {
        "en": "the function has no argument for `{name}`, which the kata passes in {cases} {cases:case|cases}",
        "zh": "函数没有接收 `{name}` 的参数，而题目有 {cases} 个用例会传它",
    },
    # Around any of these where several functions are judged.
    "direct-of": {"en": "`{name}`: {text}", "zh": "`{name}`：{text}"},
    "direct-pass-values": {
        "en": "same as the model answer, in {dtypes}",
        "zh": "与参考答案一致（{dtypes}）",
    },
    "direct-pass-mask": {
        "en": "{kinds}; {shapes}; {dtypes}",
        "zh": "{kinds}；{shapes}；{dtypes}",
    },
    "direct-pass-lengths": {"en": "other sizes, including 1", "zh": "其他尺寸，包括 1"},
    "direct-pass-gradients": {
        "en": "with respect to {names}, same as the model answer",
        "zh": "{names}：梯度与参考答案一致",
    },
    "direct-pass-stability": {"en": "{grown}", "zh": "{grown}"},
    # Causality is a switch of this kata's.
    "direct-pass-causality": {"en": "also with the switch on", "zh": "打开开关后也正确"},
    "direct-pass-dtypes": {"en": "{names}", "zh": "{names}"},
    "direct-pass-purity": {
        "en": "the same call gives the same result again, inputs unchanged",
        "zh": "重复调用结果相同，输入没有被改动",
    },
    "direct-pass-rules": {
        "en": "only operators that may be used",
        "zh": "用到的算子都是允许的",
    },
    "direct-pass-structure": {"en": "memory used as asked", "zh": "内存的用法符合要求"},
    "direct-pass-shape": {"en": "{shapes}", "zh": "{shapes}"},
    # Added to `fail-values` where no weights were found: two layers after another make the queries.
    "query-compressed": {
        "en": ". The queries are compressed ({names}), as in DeepSeek-V2; this kata asks for "
        "one projection of x, as in V2-Lite, with no norm on the way",
        "zh": "。query 先压缩再展开（{names}），和 DeepSeek-V2 一样；这道题要的是直接由 x 投影，"
        "和 V2-Lite 一样，中间也没有 norm",
    },
    # Added likewise, where nothing explains why none were found.
    "direct-unread": {
        "en": (
            ". The judge could not find out which weight is which: no layout that it tried gives your output; either the formula is wrong, or the judge cannot read this layout (it can if each projection has its own `nn.Linear`)"
        ),
        "zh": (
            "。没有认出哪个权重是哪个：试过的排法都得不到你的结果；要么公式有错，要么这种排法评判器读不懂"
            "（每个投影各用一个 `nn.Linear` 就能读懂）"
        ),
    },
    "direct-uncarried": {
        "en": "{case}: no `{name}` came back to be passed to the next call; return ({wanted})",
        "zh": "{case}：没有返回可以交给下一次调用的 `{name}`；应返回 ({wanted})",
    },
}
