"""What is tried, and other pieces of sentences."""

from __future__ import annotations

__all__ = ["CASES"]

CASES: dict[str, dict[str, str]] = {
    # These put sentences together.
    "verbatim": {"en": "{text}", "zh": "{text}"},
    "sometimes": {"en": "in some calls, {text}", "zh": "在有些调用里，{text}"},
    "listed": {"en": "{parts}", "zh": "{parts}"},
    "below": {"en": "{first}\n{second}", "zh": "{first}\n{second}"},
    "either": {"en": "{en}", "zh": "{zh}"},
    "then": {"en": "{first}{second}", "zh": "{first}{second}"},
    "shaped": {"en": "{name} {shape}", "zh": "{name} {shape}"},
    # In a dtype's place, where autocast chose it.
    "under-autocast": {"en": "autocast to {dtype}", "zh": "autocast 到 {dtype}"},
    "place-output": {"en": "the output", "zh": "输出"},
    "place-elsewhere": {"en": "another step", "zh": "别的步骤"},
    # In the place of names that are not known, as the next.
    "its-weights": {"en": "its weights", "zh": "它的权重"},
    "the-fill": {"en": "the number that it is filled with", "zh": "填进去的数"},
    "it": {"en": "some weights or inputs", "zh": "部分权重或输入"},
    "case-gain": {"en": "inputs × {gain:g}", "zh": "输入 × {gain:g}"},
    "case-below": {"en": "some rows all negative", "zh": "有的行全为负"},
    "case-without": {"en": "no `{name}`", "zh": "不传 `{name}`"},
    "case-hiding": {"en": "bool `{name}` {shape}", "zh": "bool 的 `{name}` {shape}"},
    "case-added": {"en": "float `{name}` {shape}", "zh": "浮点的 `{name}` {shape}"},
    "case-strided": {"en": "not contiguous", "zh": "内存不连续"},
    "case-train": {"en": "train mode", "zh": "train 模式"},
    "case-zeros": {"en": "a vector of zeros", "zh": "有一个全零向量"},
    "case-all-zeros": {"en": "inputs of zeros alone", "zh": "输入全为零"},
    "case-regular": {"en": "regular whole numbers", "zh": "整数有规律"},
    "case-reach": {"en": "positions up to {position}", "zh": "位置直到 {position}"},
    "case-zeros-made": {
        "en": "a vector of zeros, no bias",
        "zh": "有一个全零向量，bias 为 0",
    },
    "case-shared": {
        "en": "{name} is {other}, the same tensor",
        "zh": "{name} 与 {other} 是同一个张量",
    },
    # Added to the first step that departs, where one of these four holds.
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
    # Fill `direct-dtype-kind`.
    "direct-floats": {"en": "floats", "zh": "浮点数"},
    "direct-integers": {"en": "integers", "zh": "整数"},
    "direct-booleans": {"en": "booleans", "zh": "布尔值"},
    # Large inputs that are moved, not multiplied.
    "case-shifted": {"en": "{names} + {gain:g}", "zh": "{names} + {gain:g}"},
    "case-later": {
        "en": "{names} + {gain:g}, the later half twice that",
        "zh": "{names} + {gain:g}，后一半加两倍",
    },
    # Those of them that a mask hides, and no others.
    "case-hidden": {"en": "hidden {names} + {gain:g}", "zh": "被遮住的 {names} + {gain:g}"},
    "direct-mask-of": {"en": "{dtype} mask", "zh": "{dtype} 的 mask"},
    "direct-far": {"en": "far positions", "zh": "靠后的位置"},
    "direct-mask-none": {"en": "no mask", "zh": "无 mask"},
    "direct-mask-random": {"en": "random mask", "zh": "随机 mask"},
    "direct-mask-padding": {"en": "padding mask", "zh": "padding mask"},
    "direct-mask-causal": {"en": "causal mask", "zh": "因果 mask"},
    "direct-mask-single": {"en": "mask with one key per row", "zh": "每行只有一个 key 的 mask"},
    "direct-mask-empty": {"en": "mask with empty rows", "zh": "有空行的 mask"},
    "direct-mask-full": {"en": "mask of ones", "zh": "全 1 的 mask"},
    # In the list of what gradients are taken for, beside arguments.
    "direct-weights": {"en": "every weight", "zh": "每个权重"},
    # How a sequence of calls with a cache was given.
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
    "direct-cached-later": {
        "en": "a long sequence behind a short one, {after} cached",
        "zh": "短序列后面接长序列，已缓存 {after} 个",
    },
    "direct-cached-across": {
        "en": "across 256 positions, {after} cached",
        "zh": "越过 256 个位置，已缓存 {after} 个",
    },
    "direct-cached-long": {
        "en": "a long sequence and more of it, {after} cached",
        "zh": "长序列再接着算，已缓存 {after} 个",
    },
}
