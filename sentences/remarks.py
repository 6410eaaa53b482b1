"""What is worth knowing of code that is right, and of its arguments."""

from __future__ import annotations

__all__ = ["REMARKS"]

REMARKS: dict[str, dict[str, str]] = {
    # Remarks.
    "prints": {
        "en": "`print` runs on every call; take it out before you hand the code in",
        "zh": "每次调用都会执行 `print`，交卷前请删掉",
    },
    # In a constructor alone.
    "prints-when-made": {
        "en": "`print` runs whenever an object is made; take it out before you hand the code in",
        "zh": "每次创建对象都会执行 `print`，交卷前请删掉",
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
    # None acts, in a kata where it is optional but worth a word.
    "dropout-not-applied": {
        "en": "no dropout on the weights; it is optional here, but worth mentioning",
        "zh": "权重上没有 dropout；这里可选，但值得提一句",
    },
    # `dropout-not-applied`, where the constructor takes a rate.
    "dropout-argument-ignored": {
        "en": "the constructor takes a dropout rate, but nothing is dropped at that rate",
        "zh": "构造函数收下了 dropout 比例，却没有按它丢弃任何东西",
    },
    "returns-tuple": {
        "en": "forward returns a tuple; its first element was judged",
        "zh": "forward 返回元组，评判的是第一个元素",
    },
    # The output is not the first of it.
    "returns-tuple-later": {
        "en": "forward returns a tuple with the output in place {place}; callers expect it first",
        "zh": "forward 返回元组，输出在第 {place} 个位置；调用者通常期望它在最前面",
    },
    # More comes back than the several results that are asked for.
    "returns-more": {
        "en": (
            "{count} values come back where {wanted} are asked for; whoever unpacks {wanted} gets "
            "a ValueError"
        ),
        "zh": "返回了 {count} 个值，题目只要 {wanted} 个；调用者按 {wanted} 个解包，会抛 ValueError",
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
    "buffer-rounded": {
        "en": "`.to(torch.bfloat16)` rounds this table with the weights, and far positions come "
        "out wrong; make it in float32 where it is used",
        "zh": "`.to(torch.bfloat16)` 会把这张表和权重一起舍入，远处的位置就算错了；请在用到时以 "
        "float32 计算",
    },
    # Whatever else is said of values was found in float32 then.
    "float64-raises": {
        "en": "float64 inputs raise {raised} here; values were compared in float32",
        "zh": "输入是 float64 时这里会抛出 {raised}；数值是用 float32 比较的",
    },
    "sum-stalls": {
        "en": "in bfloat16 a sum that is added up one by one stops growing, and the result is off "
        "over 256 positions; add it up in float32",
        "zh": "在 bfloat16 下一项一项地累加，和到某个值就不再增长，位置数到 256 时结果就偏了；"
        "请用 float32 累加",
    },
    # `mask-form`, where its shapes are as asked.
    "direct-mask-dtypes": {
        "en": "the mask is not accepted as {dtypes}; in this kata it may have any dtype",
        "zh": "代码不接受 {dtypes} 的 mask；题目的 mask 可以是任意 dtype",
    },
    # These say what comes of leaving out a mask that may be left out.
    "mask-needed-raised": {
        "en": "`{name}` is optional, but without it {call} raises {kind}: {reason}",
        "zh": "`{name}` 是可选的，但不传时 {call} 抛出 {kind}：{reason}",
    },
    "mask-needed-nothing": {
        "en": "without `{name}` {call} returns no tensor; with a mask that hides nothing it does",
        "zh": "不传 `{name}` 时 {call} 没有返回张量；传一个什么都不遮的 mask 时才有",
    },
    "mask-needed-shape": {
        "en": "without `{name}` the output has the wrong shape; with a mask that hides nothing "
        "it has the right one",
        "zh": "不传 `{name}` 时输出的形状不对；传一个什么都不遮的 mask 时才对",
    },
    "mask-needed-values": {
        "en": "without `{name}` the output is not that of attention; with a mask that hides "
        "nothing it is",
        "zh": "不传 `{name}` 时，输出不是注意力的结果；传一个什么都不遮的 mask 时才是",
    },
    "argument-unknown": {
        "en": "{names}: needed by forward and not given by the kata; None, 0 or False was given",
        "zh": "{names}：forward 需要，题目却不会传；评判时传的是 None、0 或 False",
    },
    # An argument such as `causal=False`.
    "switch-off": {
        "en": "`{name}` is off by default, but the kata needs it on; it was turned on to judge",
        "zh": "`{name}` 默认是关的，而这道题需要它开着；评判时替你打开了",
    },
    "dropout-with-mask-alone": {
        "en": "dropout acts only where a mask is given; without one nothing is dropped",
        "zh": "只有传了 mask 时 dropout 才起作用；不传时什么也没有丢弃",
    },
    "dropout-without-mask-alone": {
        "en": "dropout acts only where no mask is given; with one nothing is dropped",
        "zh": "只有不传 mask 时 dropout 才起作用；传了 mask 就什么也没有丢弃",
    },
    "mask-without-default": {
        "en": "`{name}` has no default, so every call must name a mask or None; "
        "write `{name}=None`",
        "zh": "`{name}` 没有默认值，每次调用都得写上 mask 或 None；请写成 `{name}=None`",
    },
    # `mask-without-default`, where None raises too.
    "mask-always-needed": {
        "en": "`{name}` has no default and cannot be None, so every call needs a mask; "
        "write `{name}=None` and mask only where one is given",
        "zh": "`{name}` 没有默认值，也不能是 None，每次调用都得有 mask；"
        "请写成 `{name}=None`，传了才遮",
    },
}
