"""What the judge says of arguments: those that are given, those that are not."""

from __future__ import annotations

__all__ = ["ARGUMENTS"]

ARGUMENTS: dict[str, dict[str, str]] = {
    "mask-needed": {
        "en": "the mask is optional, but the code cannot do without one",
        "zh": "mask 是可选的，代码却离不开它",
    },
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
    "switch-off": {
        "en": "`{name}` is off by default, but the kata needs it on; it was turned on to judge",
        "zh": "`{name}` 默认是关的，而这道题需要它开着；评判时替你打开了",
    },
    "arguments-not-given": {
        "en": "the kata gives nothing for {names}; give it a default, or make it in the class",
        "zh": "题目不会为 {names} 传值，请给出默认值，或在类里自己生成",
    },
    "config-made-up": {
        "en": "`{name}` was filled by what the names of its settings say; where a name says "
        "nothing, give the setting a default in a config class, or take sizes as arguments",
        "zh": "`{name}` 是按各项设置的名字填的；名字看不出含义的，请在配置类里给它默认值，"
        "或把各种大小写成参数",
    },
    "dropout-with-mask-alone": {
        "en": "dropout acts only where a mask is given; without one nothing is dropped",
        "zh": "只有传了 mask 时 dropout 才起作用；不传时什么也没有丢弃",
    },
    "mask-without-default": {
        "en": "`{name}` has no default, so every call must name a mask or None; "
        "write `{name}=None`",
        "zh": "`{name}` 没有默认值，每次调用都得写上 mask 或 None；请写成 `{name}=None`",
    },
    "mask-always-needed": {
        "en": "`{name}` has no default and cannot be None, so every call needs a mask; "
        "write `{name}=None` and mask only where one is given",
        "zh": "`{name}` 没有默认值，也不能是 None，每次调用都得有 mask；"
        "请写成 `{name}=None`，传了才遮",
    },
}
