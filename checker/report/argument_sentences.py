"""What the judge says of arguments: those that are given, those that are not."""

from __future__ import annotations

__all__ = ["ARGUMENTS"]

ARGUMENTS: dict[str, dict[str, str]] = {
    "mask-needed": {
        "en": "the mask is optional, but the code cannot do without one",
        "zh": "mask 是可选的，代码却离不开它",
    },
    "mask-needed-raised": {
        "en": "`{name}` is optional, but without it forward raises {kind}: {reason}",
        "zh": "`{name}` 是可选的，但不传时 forward 抛出 {kind}：{reason}",
    },
    "mask-needed-nothing": {
        "en": "without `{name}` forward returns no tensor; with a mask that hides nothing it does",
        "zh": "不传 `{name}` 时 forward 没有返回张量；传一个什么都不遮的 mask 时才有",
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
