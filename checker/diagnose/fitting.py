"""What is wrong with the shapes of an expression's tensors, by what it does with them."""

from __future__ import annotations

import re
from math import prod

from ..process.answers import Operation, Part, Raised
from ..report.message import Message, say

__all__ = ["lacking", "misfit"]

_PRODUCTS = {"@", "@=", "matmul", "bmm", "mm", "baddbmm"}
_SHAPES = (
    "must match the size", "cannot be multiplied", "Expected size for first two", "mismatch",
    "must match except", "doesn't match the broadcast", "is invalid for input of size",
)  # fmt: skip
_CAT = re.compile(r"Sizes of tensors must match except in dimension (\d+)")
_RANKS = re.compile(r"Tensors must have same number of dim|must have the same number of dimensions")
_RESHAPE = re.compile(r"shape '\[([-\d, ]+)\]' is invalid for input of size \d+")
_EXPAND = re.compile(
    r"expanded size of the tensor \((\d+)\) must match the existing size \((\d+)\)"
    r".*?Target sizes: \[([-\d, ]*)\]\.\s+Tensor sizes: \[([\d, ]*)\]"
)
_REPEATS = {"expand", "expand_as", "broadcast_to"}
# No tensor has an axis as long; what a process claims may be.
_LONGEST = 1 << 40
# What takes a tensor apart into several.
_PIECES = {"split", "chunk", "unbind", "tensor_split", "split_with_sizes"}


def misfit(fault: Raised) -> Message | None:
    """What is wrong with the shapes of an expression's tensors, by what it does with them."""
    made = fault.made_of
    if made and fault.type == "ValueError" and "values to unpack" in fault.message:
        return _pieces(made, fault.message)
    if not made or not made.parts:
        return None
    if _RANKS.search(fault.message):
        return _ranks(made.parts)
    expand = _EXPAND.search(fault.message)
    if expand is not None:
        return _expanded(made, *expand.groups())
    if "first N-1 dimensions of boundaries" in fault.message:
        return _searched(made.parts)
    if not any(words in fault.message for words in _SHAPES):
        return None
    parts = made.parts
    if any(one.text.endswith(".T") and len(one.shape) > 2 for one in parts):
        return say("crash-all-axes")
    joined_along = _CAT.search(fault.message)
    if joined_along is not None:
        return _cat(parts, int(joined_along[1]))
    reshaped = _RESHAPE.search(fault.message)
    if reshaped is not None:
        return _reshaped(parts[0].shape, _sizes(reshaped[1]))
    if made.call.endswith("=") and len(parts) == 2:
        left, right = (one.shape for one in parts)
        joined = made.call != "@=" and _joined(left, right)
        if joined and joined != left:
            sign, target = made.call, parts[0].text
            wanted = f"{target} = {target} {sign[:-1]} …"
            key = "crash-target" if target.isidentifier() else "crash-target-plain"
            return say(key, sign=sign, wanted=wanted)
    if len(parts) < 2:
        return None
    if made.call in {"@", "matmul", "mv"} and len(parts[1].shape) == 1 < len(parts[0].shape):
        first, second = parts[0].shape[-1], parts[1].shape[0]
        return say("crash-vector", first=first, second=second) if first != second else None
    if min(len(one.shape) for one in parts[:2]) < 2:
        return None
    layer = parts[1].text.endswith(".weight") and made.call not in _PRODUCTS
    layer = layer or made.call == "linear"
    if made.call in _PRODUCTS or layer:
        return _product(parts[0], parts[1], layer=layer)
    return None


def _product(left: Part, right: Part, *, layer: bool) -> Message | None:
    """Why two tensors have no product."""
    first, second = left.shape, right.shape
    if layer:
        wanted, given = second[-1], first[-1]
        return say("crash-layer", wanted=wanted, given=given) if wanted != given else None
    if first[-1] != second[-2]:
        values: dict[str, int] = {"first": first[-1], "second": second[-2]}
        if first[-1] == second[-1] and _plain(right):
            turned = f"{right.text}.transpose(-2, -1)"
            return say("crash-inner-turn", turned=turned, **values)
        return say("crash-inner", **values)
    if _joined(first[:-2], second[:-2]) is None:
        told = {"first": str(tuple(first[:-2])), "second": str(tuple(second[:-2]))}
        less, more = sorted((left, right), key=_axes)
        at = _place(less.shape[:-2], more.shape[:-2])
        if at is None or _axes(less) + 1 < _axes(more):
            return say("crash-leading", **told)
        return say("crash-leading-lacks", name=less.text, axis=at, **told)
    return None


def lacking(parts: list[Part]) -> tuple[str, int] | None:
    """Which of two tensors lacks an axis of size 1, and where, if there is just one place."""
    if len(parts) != 2:
        return None
    less, more = sorted(parts, key=_axes)
    at = _place(less.shape, more.shape)
    return (less.text, at) if at is not None else None


def _place(less: list[int], more: list[int]) -> int | None:
    """Where an axis of size 1 makes a shape fit one of more axes, if there is just one place."""
    if len(less) >= len(more):
        return None
    places = range(len(less) + 1)
    fits = [at for at in places if _joined([*less[:at], 1, *less[at:]], more) == more]
    return fits[0] if len(fits) == 1 else None


def _reshaped(old: list[int], new: list[int]) -> Message | None:
    """Why a tensor does not take a shape whose first axes it has; None where these differ."""
    alike = 0
    while alike < min(len(old), len(new)) and old[alike] == new[alike]:
        alike += 1
    had, wanted = old[alike:], new[alike:]
    # Where more than one axis differs on both sides, a length may be that of another sequence.
    if not alike or not had or not wanted or min(len(had), len(wanted)) > 1 or max(had) > _LONGEST:
        return None
    given, known = prod(had), [size for size in wanted if size != -1]
    told = {"given": _times(had), "wanted": _times(known)}
    if len(known) < len(wanted):
        divides = not known or not prod(known) or given % prod(known) == 0
        return None if divides else say("crash-reshape-infer", **told)
    kind = "merged" if len(had) > 1 else "last" if len(wanted) > 1 else "same"
    return say(f"crash-reshape-{kind}", **told)


def _times(sizes: list[int]) -> str:
    """Sizes as what they multiply to: "24", "2 × 4 = 8"."""
    product = " × ".join(map(str, sizes))
    return product if len(sizes) == 1 else f"{product} = {prod(sizes)}"


def _expanded(made: Operation, target: str, size: str, wanted: str, given: str) -> Message | None:
    """Why a tensor does not take the sizes that it is to be repeated, or put, into."""
    if made.call in _REPEATS:
        times = int(size) and int(target) % int(size) == 0
        return say("crash-expand-repeat" if times else "crash-expand", size=int(size))
    if made.call in {"[]", "copy_"}:
        return say("crash-assigned", wanted=_shape(wanted), given=_shape(given))
    return None


def _searched(parts: list[Part]) -> Message | None:
    """Why values are not looked for in the rows of another tensor."""
    if len(parts) < 2 or len(parts[1].shape) + 1 != len(parts[0].shape):
        return say("crash-searched")
    fits = parts[1].shape == parts[0].shape[:-1]
    call = f"{parts[1].text}.unsqueeze(-1)" if _plain(parts[1]) else ".unsqueeze(-1)"
    return say("crash-searched-lacks", call=call) if fits else say("crash-searched")


def _ranks(parts: list[Part]) -> Message | None:
    """Which of the tensors that are to be joined has fewer axes."""
    less, more = min(parts, key=_axes), max(parts, key=_axes)
    if _axes(less) == _axes(more):
        return None
    return say("crash-ranks", name=less.text, other=more.text, few=_axes(less), many=_axes(more))


def _axes(part: Part) -> int:
    return len(part.shape)


def _cat(parts: list[Part], along: int) -> Message | None:
    """Which axis keeps tensors from being joined along another."""
    first = parts[0].shape
    for second in (one.shape for one in parts[1:] if len(one.shape) == len(first)):
        differ = [at for at, (a, b) in enumerate(zip(first, second, strict=True)) if a != b]
        others = [at for at in differ if at != along]
        if not others:
            continue
        at, key = others[0], "crash-cat-axis"
        if len(differ) == 1 and len(parts) == 2:
            key = "crash-cat-along"
        elif all(1 in {first[at], second[at]} for at in others):
            key = "crash-cat-expand"
        return say(key, along=along, axis=at, first=first[at], second=second[at])
    return None


def _pieces(made: Operation, words: str) -> Message | None:
    """Why what is taken apart into names has more or fewer pieces."""
    count = re.search(r"expected (\d+)", words)
    if count is None:
        return None
    names = int(count[1])
    if not made.parts:
        told = {"name": made.text, "given": made.length, "names": names}
        return say("crash-entries", **told) if made.length not in {None, names} else None
    part = made.parts[0]
    if made.call == "=":
        return say("crash-tensor-apart", given=part.shape[0], names=names) if part.shape else None
    if made.call not in _PIECES or made.length is None:
        return None
    # A function of torch's has the tensor in front of it.
    method = made.text.startswith(f"{part.text}.") or made.text.endswith("…")
    known = ("0" if method else "1", "split_size", "split_size_or_sections")
    place = next((at for at in known if at in made.numbers), None)
    if made.call == "split" and place is not None:
        size = made.numbers[place]
        key = "crash-split-chunk" if size == names else "crash-split"
        return say(key, size=size, pieces=made.length, names=names)
    return say("crash-pieces", pieces=made.length, names=names)


def _joined(left: list[int], right: list[int]) -> list[int] | None:
    """The shape that two shapes broadcast to; None where they do not."""
    size = max(len(left), len(right))
    padded = ([1] * (size - len(one)) + one for one in (left, right))
    pairs = list(zip(*padded, strict=True))
    if any(a != b and 1 not in (a, b) for a, b in pairs):
        return None
    return [b if a == 1 else a for a, b in pairs]


def _plain(part: Part) -> bool:
    """Whether an operand is a name, or an attribute of one."""
    return part.text.replace(".", "").isidentifier()


def _sizes(text: str) -> list[int]:
    return [int(size) for size in text.split(",") if size.strip()]


def _shape(text: str) -> str:
    return str(tuple(_sizes(text)))
