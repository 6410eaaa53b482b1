"""What is said of functions, in English and Chinese. Part of `messages.MESSAGES`."""

from __future__ import annotations

__all__ = ["SENTENCES"]

SENTENCES: dict[str, dict[str, str]] = {
    "no-function": {
        "en": "the kata asks for {wanted}; the file has {found}",
        "zh": "题目要的是 {wanted}；文件里有的是 {found}",
    },
    "no-function-class": {
        "en": "the kata asks for {wanted}; the file has the class {found}: write what it does as a plain function, outside any class",
        "zh": "题目要的是 {wanted}；文件里有的是类 {found}：请把它做的事写成普通函数，放在类的外面",
    },
    "no-function-at-all": {
        "en": "the kata asks for {wanted}; the file defines no function",
        "zh": "题目要的是 {wanted}；文件里没有定义任何函数",
    },
    "functions-missing": {
        "en": "the kata also asks for {wanted}; the file has {found}",
        "zh": "题目还要 {wanted}；文件里有的是 {found}",
    },
    "functions-wait": {
        "en": "{done} of {count} done; still to write: {names}",
        "zh": "已完成 {done}/{count}；还没写：{names}",
    },
    "waits-for": {
        "en": "calls `{name}`, which is not written yet",
        "zh": "调用了还没有写的 `{name}`",
    },
    "class-not-function": {
        "en": "the kata asks for a class `{wanted}` with a `forward`; the file has only the function {found}",
        "zh": "题目要的是带 `forward` 的类 `{wanted}`；文件里只有函数 {found}",
    },
    "direct-signature": {
        "en": "the kata calls {wanted}; `{name}` (line {line}) asks for {more} too: give a default, "
        "or leave it out",
        "zh": "题目会这样调用：{wanted}；`{name}`（第 {line} 行）还要 {more}：请给出默认值，或去掉",
    },
    "axes-three": {
        "en": "`{name}` is written for tensors of three axes, but the kata gives four, heads beside "
        "batch; name axes from the end (`shape[-2]`, `transpose(-2, -1)`), so that any number may precede",
        "zh": "`{name}` 是为三个轴的张量写的，而题目给的是四个轴，batch 之外还有 heads；请从末尾数轴"
        "（`shape[-2]`、`transpose(-2, -1)`），前面有几个轴都行",
    },
    "axes-two": {
        "en": "`{name}` is written for one head of one sample, but the kata gives tensors of four axes, "
        "batch and heads first; name axes from the end (`shape[-2]`, `transpose(-2, -1)`)",
        "zh": "`{name}` 是为一个样本的一个 head 写的，而题目给的是四个轴的张量，前面是 batch 和 heads；请从末尾数轴"
        "（`shape[-2]`、`transpose(-2, -1)`）",
    },
    "direct-signature-tables": {
        "en": "the kata calls {wanted}; `{name}` (line {line}) asks for {more} too: no tables are "
        "handed over, so make the cosines and sines inside, from the positions",
        "zh": "题目会这样调用：{wanted}；`{name}`（第 {line} 行）还要 {more}：题目不传表，请在函数里用位置算出 "
        "cos 和 sin",
    },
    "direct-signature-cache": {
        "en": "the kata calls {wanted}; `{name}` (line {line}) asks for {more} too: neither tables nor "
        "positions are handed over, so count what the cache holds, and make cosines and sines inside",
        "zh": "题目会这样调用：{wanted}；`{name}`（第 {line} 行）还要 {more}：题目不传表，也不传位置，请从 cache "
        "的长度数起，并在里面算出 cos 和 sin",
    },
    "direct-signature-pass": {
        "en": "the kata calls {wanted}; `{name}` (line {line}) asks for {more} too: nothing of the "
        "forward pass is handed over, so compute it again",
        "zh": "题目会这样调用：{wanted}；`{name}`（第 {line} 行）还要 {more}：题目不传前向的任何结果，请重新算一遍",
    },
    "direct-raised": {
        "en": "the first plain call, {call}, raised {kind}{at}: {reason}",
        "zh": "第一次普通调用 {call} {at}抛出 {kind}：{reason}",
    },
    "direct-count": {
        "en": "{case}: {count} {count:tensor|tensors} came back, but {wanted} {wanted:is|are} asked for ({names})",
        "zh": "{case}：返回了 {count} 个张量，题目要 {wanted} 个（{names}）",
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
    "direct-floats": {"en": "floats", "zh": "浮点数"},
    "direct-integers": {"en": "integers", "zh": "整数"},
    "direct-booleans": {"en": "booleans", "zh": "布尔值"},
    "direct-shape": {
        "en": "{case}: `{name}` is {actual}, expected {expected}",
        "zh": "{case}：`{name}` 的形状是 {actual}，应为 {expected}",
    },
    "direct-missing": {
        "en": "the function has no argument for `{name}`, which the kata passes in {cases} {cases:case|cases}",
        "zh": "函数没有接收 `{name}` 的参数，而题目有 {cases} 个用例会传它",
    },
    "direct-of": {"en": "`{name}`: {text}", "zh": "`{name}`：{text}"},
    "direct-pass-values": {
        "en": "same as the model answer, in {dtype}",
        "zh": "与参考答案一致（{dtype}）",
    },
    "direct-pass-mask": {
        "en": "{kinds}; {shapes}; {dtypes}",
        "zh": "{kinds}；{shapes}；{dtypes}",
    },
    "direct-pass-lengths": {"en": "other sizes, including 1", "zh": "其他尺寸，包括 1"},
    "direct-pass-gradients": {
        "en": "with respect to {names}, same as the model answer",
        "zh": "对 {names} 的梯度与参考答案一致",
    },
    "direct-pass-stability": {"en": "{grown}", "zh": "{grown}"},
    "case-shift": {"en": "{names} + {gain:g}", "zh": "{names} + {gain:g}"},
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
    "direct-never": {
        "en": "`{call}` may not be used here; the kata asks for what it does by hand",
        "zh": "这里不能用 `{call}`；题目要求手写它做的事",
    },
    "direct-instead": {
        "en": "`{call}` is called where the kata asks for {wanted}",
        "zh": "题目要求用 {wanted}，这里用的却是 `{call}`",
    },
    "direct-autograd": {
        "en": "autograd computes the gradients here (`{call}`); the kata asks for them by hand",
        "zh": "这里让 autograd 求了梯度（`{call}`）；题目要求手写",
    },
    "direct-must": {
        "en": "{wanted} has to be used here, but was never called",
        "zh": "这里要用 {wanted}，却没有调用过",
    },
    "direct-loop": {
        "en": "a Python loop; the kata asks for one call on whole tensors",
        "zh": "用了 Python 循环；题目要求对整个张量一次算完",
    },
    "direct-view": {
        "en": "the result has memory of its own; it should be a view of `{name}`",
        "zh": "结果占用了新的内存；它应该是 `{name}` 的一个视图",
    },
    "direct-copy": {
        "en": "the result shares its memory with `{name}`; it should be a copy",
        "zh": "结果与 `{name}` 共用内存；它应该是一份拷贝",
    },
    "direct-contiguous": {
        "en": "the result is not contiguous (strides {strides}); it should be",
        "zh": "结果的内存不连续（strides {strides}）；题目要求连续",
    },
    "direct-not-contiguous": {
        "en": "the result is contiguous (strides {strides}); it should be left where it lies in memory",
        "zh": "结果的内存是连续的（strides {strides}）；题目要求保持原样，不要搬动",
    },
    "direct-strides": {
        "en": "the result's strides are {strides}; {wanted} are asked for",
        "zh": "结果的 strides 是 {strides}；题目要的是 {wanted}",
    },
    "direct-apart": {
        "en": "`{call}` makes a tensor {shape}; no tensor may have the axes {apart} together",
        "zh": "`{call}` 造出了形状为 {shape} 的张量；任何张量都不能同时有 {apart} 这两维",
    },
    "direct-large": {
        "en": "`{call}` makes a tensor {shape} with {entries} entries; the limit is {sum} = {most}",
        "zh": "`{call}` 造出了形状为 {shape} 的张量，有 {entries} 个数；上限是 {sum} = {most}",
    },
    "direct-large-result": {
        "en": "the result takes memory for {entries} entries; the limit is {sum} = {most}",
        "zh": "结果占了 {entries} 个数的内存；上限是 {sum} = {most}",
    },
    "direct-carried": {
        "en": "`{name}` grows by {entries} {entries:number|numbers} with each position; the limit is {sum} = {most}",
        "zh": "`{name}` 每多一个位置就多存 {entries} 个数；上限是 {sum} = {most}",
    },
    "direct-mask-dtypes": {
        "en": "the mask is not accepted as {dtypes}; in this kata it may have any dtype",
        "zh": "代码不接受 {dtypes} 的 mask；题目的 mask 可以是任意 dtype",
    },
    "direct-mask-of": {"en": "{dtype} mask", "zh": "{dtype} 的 mask"},
    "gradient-nan": {
        "en": "NaN arises here and is replaced later; its gradient stays NaN, so prevent it from arising",
        "zh": "这里产生了 NaN，之后才被替换掉；它的梯度仍是 NaN，应当不让它产生",
    },
    "mask-dtype": {
        "en": "the mask is not accepted as {dtypes}; compare it, `mask == 0`, which works for every dtype",
        "zh": "代码不接受 {dtypes} 的 mask；请用比较 `mask == 0`，任何 dtype 都行",
    },
    "direct-far": {"en": "far positions", "zh": "靠后的位置"},
    "direct-mask-none": {"en": "no mask", "zh": "无 mask"},
    "direct-mask-random": {"en": "random mask", "zh": "随机 mask"},
    "direct-mask-padding": {"en": "padding mask", "zh": "padding mask"},
    "direct-mask-causal": {"en": "causal mask", "zh": "因果 mask"},
    "direct-mask-single": {"en": "mask with one key per row", "zh": "每行只有一个 key 的 mask"},
    "direct-mask-empty": {"en": "mask with empty rows", "zh": "有空行的 mask"},
    "direct-mask-full": {"en": "mask of ones", "zh": "全 1 的 mask"},
    "query-compressed": {
        "en": ". The queries are compressed ({names}), as in DeepSeek-V2; this kata asks for "
        "one projection of x, as in V2-Lite, with no norm on the way",
        "zh": "。query 先压缩再展开（{names}），和 DeepSeek-V2 一样；这道题要的是直接由 x 投影，"
        "和 V2-Lite 一样，中间也没有 norm",
    },
    "direct-unread": {
        "en": (
            ". The judge could not find out which weight is which: no layout that it tried gives your output; either the formula is wrong, or the judge cannot read this layout (it can if each projection has its own `nn.Linear`)"
        ),
        "zh": (
            "。没有认出哪个权重是哪个：试过的排法都得不到你的结果；要么公式有错，要么这种排法评判器读不懂"
            "（每个投影各用一个 `nn.Linear` 就能读懂）"
        ),
    },
    "direct-weights": {"en": "every weight", "zh": "每个权重"},
    "direct-uncarried": {
        "en": "{case}: no `{name}` came back to be passed to the next call; return ({wanted})",
        "zh": "{case}：没有返回可以交给下一次调用的 `{name}`；应返回 ({wanted})",
    },
    "state-not-returned": {
        "en": "no `{name}` is returned after the output, so the next call starts from nothing",
        "zh": "输出后面没有返回 `{name}`，下一次调用只能从头开始",
    },
    "direct-cached-steps": {
        "en": "position by position, {after} cached",
        "zh": "逐个位置，已缓存 {after} 个",
    },
    "direct-cached-chunks": {
        "en": "in chunks, {after} cached",
        "zh": "分块，已缓存 {after} 个",
    },
    "direct-cached-single": {
        "en": "one position at a time from the start, {after} cached",
        "zh": "从头起每次一个位置，已缓存 {after} 个",
    },
    "direct-cached-turns": {
        "en": "two sequences in turn on one object, {after} cached",
        "zh": "两个序列轮流用同一个对象，已缓存 {after} 个",
    },
    "direct-cached-fork": {
        "en": "one cache continued in two ways, {after} cached",
        "zh": "同一份缓存接两种后续，已缓存 {after} 个",
    },
    "direct-cached-long": {
        "en": "a long sequence and more of it, {after} cached",
        "zh": "长序列再接着算，已缓存 {after} 个",
    },
    "operator-missing": {
        "en": "an operator that the kata asks for is never called",
        "zh": "题目要求的算子没有被调用",
    },
}
