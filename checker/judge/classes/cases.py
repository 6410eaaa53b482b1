"""Which inputs are tried: seeded, random, and pairwise distinct where axes could be confused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from ....kata.catalogue import Contract
from ...report.messages import say
from .plan import Binding, Size

__all__ = [
    "ASKED_RATE",
    "GAIN",
    "LARGE_GAIN",
    "Case",
    "beyond",
    "draw_inputs",
    "draw_weights",
    "dropout_size",
    "grid",
    "large",
    "later_sizes",
    "probe_size",
    "sizes",
    "tiny",
    "training",
    "training_size",
]

GAIN = 1.5
# With inputs times 30 this gives scores of some hundreds to two thousand: beyond what exp
# holds, and within what a penalty of -10000 masks.
LARGE_GAIN = 0.8
# No rate that anybody writes down, so that a fixed one is told from the one asked for.
ASKED_RATE = 0.37
# In eval mode dropout must do nothing, so it is asked for while values are compared.
_DROPOUT = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One thing to try. check: the check that it counts for. mask: a mask kind or None."""

    check: str
    batch: int
    queries: int
    keys: int
    mask: str | None = None
    gain: float = 1.0
    strided: bool = False
    grad: bool = False
    train: bool = False

    def label(self, language: str) -> str:
        """The case in words."""
        parts = [say("case-batch", language, batch=self.batch)]
        if self.keys == self.queries:
            parts.append(say("case-length", language, length=self.queries))
        else:
            parts.append(say("case-lengths", language, queries=self.queries, keys=self.keys))
        parts.append(say(f"case-mask-{self.mask or 'none'}", language))
        if self.gain != 1:
            parts.append(say("case-gain", language, gain=self.gain))
        if self.strided:
            parts.append(say("case-strided", language))
        if self.train:
            parts.append(say("case-train", language))
        return say("comma", language).join(parts)


def probe_size(contract: Contract) -> Size:
    """The size at which roles are found."""
    heads = 2 if contract.heads == "many" else 1
    return Size(hidden=8 if heads > 1 else 6, heads=heads, block=16)


def sizes(contract: Contract, fixed_heads: int | None = None) -> list[Size]:
    """The configurations: heads and head_dim vary, one head and head_dim 1 included."""
    if contract.heads == "one":
        return [
            Size(hidden=6, heads=1, block=64, dropout=_DROPOUT),
            Size(hidden=13, heads=1, block=64, dropout=_DROPOUT),
            Size(hidden=4, heads=1, block=64, dropout=_DROPOUT),
        ]
    if fixed_heads is not None:
        return [
            Size(hidden=fixed_heads * depth, heads=fixed_heads, block=64, dropout=_DROPOUT)
            for depth in (4, 5, 3)
        ]
    return [
        Size(hidden=12, heads=3, block=64, dropout=_DROPOUT),
        Size(hidden=10, heads=2, block=9, dropout=_DROPOUT),
        Size(hidden=7, heads=1, block=64, dropout=_DROPOUT),
        Size(hidden=3, heads=3, block=17, dropout=_DROPOUT),
    ]


def dropout_size(contract: Contract, fixed_heads: int | None = None) -> Size:
    """The size at which dropout is read: more features a head than keys."""
    heads = fixed_heads or (2 if contract.heads == "many" else 1)
    return Size(hidden=16 * heads, heads=heads, block=16, dropout=ASKED_RATE)


def training_size(contract: Contract, fixed_heads: int | None = None) -> Size:
    """The size at which train mode is tried with nothing dropped."""
    return replace(sizes(contract, fixed_heads)[0], dropout=0.0)


def beyond(contract: Contract, fixed_heads: int | None = None) -> dict[Size, list[Case]]:
    """Sizes that people use, with few cases each: a long input, and a wide one of many heads."""
    many = contract.heads == "many"
    cross = contract.source == "cross"
    # A head of 64, as people have it; 768 features in all would cost a check half a second.
    heads, few = fixed_heads or (8 if many else 1), fixed_heads or (3 if many else 1)
    long = Case(check="lengths", batch=2, queries=260, keys=260 + 3 * cross)
    wide = Case(check="values", batch=2, queries=3, keys=3 + cross)
    masked = [replace(long, check="mask", mask="random")] if contract.masks else []
    return {
        Size(hidden=4 * heads, heads=heads, block=320, dropout=_DROPOUT): [long, *masked],
        Size(hidden=64 * few, heads=few, block=64, dropout=_DROPOUT): [wide],
    }


def later_sizes(contract: Contract, fixed_heads: int | None = None) -> list[Size]:
    """All the sizes that a check comes to."""
    return [
        *sizes(contract, fixed_heads),
        dropout_size(contract, fixed_heads),
        training_size(contract, fixed_heads),
        *beyond(contract, fixed_heads),
    ]


def tiny(contract: Contract) -> Iterator[Case]:
    """The smallest cases, so that what is shown of a failure is small."""
    cross = contract.source == "cross"
    for batch, queries in ((1, 1), (1, 2), (2, 1), (1, 3), (2, 3)):
        yield Case(check="values", batch=batch, queries=queries, keys=queries + cross)


def grid(contract: Contract, size: Size, place: int) -> Iterator[Case]:
    """The cases of one configuration. place: its number, which varies what is combined."""
    cross = contract.source == "cross"
    lengths = [n for n in (5, 2, 9, 1, 7, 13, 17) if n <= size.block]
    if size.block < 64:
        lengths.insert(0, size.block)
    for index, queries in enumerate(lengths):
        batch = (3, 1, 2, 4)[(index + place) % 4]
        keys = max(1, queries + (2, -1, 0, 3, 1)[(index + place) % 5]) if cross else queries
        check = "values" if index < 3 else "lengths"
        strided = index % 3 == 1
        yield Case(check=check, batch=batch, queries=queries, keys=keys, strided=strided)
        if contract.masks:
            for kind in _kinds(index + place):
                yield Case(
                    check="mask", batch=batch, queries=queries, keys=keys, mask=kind,
                    strided=not strided and index % 2 == 0,
                )  # fmt: skip
    yield from _gradients(contract, cross=cross, every=place == 0)


def large(contract: Contract) -> Iterator[Case]:
    """Large logits: inputs times 30, with weights of ordinary size."""
    cross = contract.source == "cross"
    for batch, queries in ((2, 5), (3, 4), (1, 9)):
        keys = queries + 2 * cross
        yield Case(check="stability", batch=batch, queries=queries, keys=keys, gain=30)
        if contract.masks:
            yield Case(
                check="stability", batch=batch, queries=queries, keys=keys, gain=30, mask="random"
            )


def training(contract: Contract) -> Iterator[Case]:
    """Train mode with dropout silenced: values, masks and gradients are eval mode's."""
    extra = 2 if contract.source == "cross" else 0
    yield Case(check="values", batch=2, queries=5, keys=5 + extra, train=True)
    yield Case(check="gradients", batch=2, queries=4, keys=4 + extra, train=True, grad=True)
    if contract.masks:
        for kind in ("random", "padding"):
            yield Case(check="mask", batch=3, queries=5, keys=5 + extra, mask=kind, train=True)


def _kinds(index: int) -> tuple[str, ...]:
    return (("random", "empty"), ("padding", "single"), ("causal", "random"))[index % 3]


def _gradients(contract: Contract, *, cross: bool, every: bool) -> Iterator[Case]:
    """With and without a mask; at one size each at both lengths, since they cost the most."""
    kinds = (None, "random") if contract.masks else (None, None)
    for number, (batch, queries) in enumerate(((2, 5), (3, 4))):
        keys = queries + 2 * cross
        for mask in dict.fromkeys(kinds) if every else kinds[number : number + 1]:
            yield Case(
                check="gradients", batch=batch, queries=queries, keys=keys, grad=True, mask=mask
            )


def draw_weights(
    shapes: dict[str, tuple[int, ...]], width: int, gain: float, generator: torch.Generator
) -> dict[str, Tensor]:
    """Draw every weight in float64, by name, at a scale that makes attention sharp.

    Default initialisation leaves the weights near uniform, where a plain mean of the
    values passes for attention.
    """
    drawn = {}
    for name, shape in shapes.items():
        scale = gain / width**0.5 if len(shape) > 1 else 0.5
        drawn[name] = torch.randn(shape, generator=generator, dtype=torch.float64) * scale
    return drawn


def draw_inputs(
    case: Case, binding: Binding, width: int, generator: torch.Generator, *, cross: bool
) -> dict[str, Tensor]:
    """Draw the inputs, (batch, length, width) in float64, under the forward plan's names.

    cross: whether keys and values come from a second sequence.
    """

    def normal(length: int) -> Tensor:
        shape = (case.batch, length, width)
        return torch.randn(shape, generator=generator, dtype=torch.float64) * case.gain

    if not cross:
        return {"x": normal(case.queries)}
    inputs = {"query": normal(case.queries)}
    if binding.forward.shared:
        inputs["context"] = normal(case.keys)
    else:
        inputs |= {"key": normal(case.keys), "value": normal(case.keys)}
    return inputs
