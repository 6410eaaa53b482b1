"""One thing to try of a function: its sizes, its choices, and how its inputs are to be drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from torch import Tensor

from ...kata.arithmetic import names, worth
from ...kata.functions import Argument, Function
from ...kata.sizes import Sizes
from ..process.laid import Lies
from ..report.message import Message, say

__all__ = ["DISORDER", "Case", "grown", "shape_name", "spoken"]

# A turn at which positions stand in any order, and how many turns later there is another.
DISORDER, _TURNS = 2, 3
# Of so many turns one has a mask that is added.
_FORMS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One thing to try. check: what it counts for. turn: which of an argument's shapes it takes.

    mask: a kind of mask, or None for none. chosen: what each choice is. far: whether positions
    are far ones. train: whether it is tried in train mode, and loud: with its dropouts in it.
    schedule: the kind of a sequence of calls that it is part of, and after: what was given before
    it there. shared: which inputs of one shape are one tensor: all, the first two or the last two.
    zeros: whether each input holds a vector of zeros, to which no bias adds anything, or nothing
    else. below: whether some rows hold nothing but scores far below 0. finite: whether gradients
    are asked to be finite and no more. regular: whether whole numbers follow a rule, see `draw`.
    reach: the largest position, 0 for any.
    """

    check: str
    sizes: dict[str, int]
    chosen: dict[str, Any] = field(default_factory=dict)
    mask: str | None = None
    turn: int = 0
    gain: float = 1.0
    lies: Lies = ""
    grad: bool = False
    far: bool = False
    train: bool = False
    loud: bool = False
    schedule: str = ""
    after: int = 0
    large: bool = False
    shared: Literal["", "all", "first", "last"] = ""
    zeros: Literal["", "one", "all"] = ""
    below: bool = False
    finite: bool = False
    regular: bool = False
    reach: int = 0

    def label(self, function: Function, sizes: Sizes) -> Message:
        """The case in words: the sizes that the function speaks of, and its choices."""
        named = spoken(function)
        parts: list[Message | str] = [
            f"{sizes.axes[symbol]} {size}" for symbol, size in self.sizes.items() if symbol in named
        ]
        parts += [f"{name}={value!r}" for name, value in self.chosen.items()]
        if function.mask is not None:
            kind = say(f"direct-mask-{self.mask or 'none'}")
            shape = shape_name(self.taken_of(function.mask))
            parts.append(kind if self.mask is None else say("shaped", name=kind, shape=shape))
        absent = self.absent(function)
        parts += [say("case-without", name=name) for name in absent]
        for one in (one for one in function.arguments if one.added and one.name not in absent):
            key = "case-added" if self.adds(one) else "case-hiding"
            parts.append(say(key, name=one.name, shape=shape_name(self.shape_of(one))))
        if self.schedule:
            parts.append(say(f"direct-{self.schedule}", after=self.after))
        if self.gain != 1:
            parts.append(grown(function, self.gain))
        if self.below:
            parts.append(say("case-below"))
        # One axis alone lies as it lies.
        wide = any(len(self.shape_of(one)) > 1 for one in function.arguments if one.tensor)
        if self.lies and wide:
            parts.append(say("case-strided"))
        away = [one for one in function.arguments if one.kind == "normal" and one.far]
        if self.far:
            parts += [say("case-shifted", names=[one.name], gain=one.far) for one in away]
            parts += [] if away else [say("direct-far")]
        if self.train:
            parts.append(say("case-train"))
        if self.zeros:
            made = "-made" if function.module is not None else ""
            parts.append(say("case-all-zeros" if self.zeros == "all" else f"case-zeros{made}"))
        if self.regular:
            parts.append(say("case-regular"))
        if self.reach:
            parts.append(say("case-reach", position=self.reach))
        parts += [
            say("case-shared", name=name, other=other)
            for name, other in self.sharing(function).items()
        ]
        return say("listed", parts=parts)

    def lying(self, tensors: Mapping[str, Tensor]) -> dict[str, Lies]:
        """How each tensor lies in memory: beside slices every other one is turned."""
        wide = [name for name, tensor in tensors.items() if tensor.dim() > 1]
        other: Lies = "turned" if self.lies == "apart" else self.lies
        return {name: other if at % 2 else self.lies for at, name in enumerate(wide)}

    def shape_of(self, argument: Argument) -> tuple[str, ...]:
        """The shape that an argument has here, in symbols."""
        return argument.shapes[self.turn % len(argument.shapes)]

    def taken_of(self, argument: Argument) -> tuple[str, ...]:
        """The shape in which a submission takes it."""
        return (argument.taken or argument.shapes)[self.turn % len(argument.shapes)]

    def axes(self, function: Function) -> dict[str, tuple[str, ...]]:
        """The shape of each tensor that a function takes here, in symbols."""
        return {one.name: self.shape_of(one) for one in function.arguments if one.tensor}

    def absent(self, function: Function) -> list[str]:
        """The booleans that may be left out, and are here: by turns none, each alone, and all."""
        many = function.spare
        turn = self.turn % (len(many) + 3)
        return many if turn > len(many) + 1 else many[turn - 1 : turn]

    def adds(self, argument: Argument) -> bool:
        """Whether a mask holds what is added to the scores here, and not what is hidden."""
        return argument.added and self.turn % _FORMS == 1

    def sharing(self, function: Function) -> dict[str, str]:
        """The arguments that are given another's tensor here, with that other."""
        alike: dict[tuple[float, ...], list[str]] = {}
        for one in function.arguments if self.shared else ():
            if one.kind == "normal":
                shape = tuple(worth(axis, self.scope()) for axis in self.shape_of(one))
                alike.setdefault(shape, []).append(one.name)
        found: dict[str, str] = {}
        for many in alike.values():
            some = {"first": many[:2], "last": many[-2:]}.get(self.shared, many)
            found |= dict.fromkeys(some[1:], some[0])
        return found

    def zeroes(self, argument: Argument) -> bool:
        """Whether an input holds zeros here; what a gradient comes from keeps its own."""
        able = argument.kind == "normal" and argument.ties and argument.zeros
        return bool(self.zeros) and able and len(self.shape_of(argument)) > 1

    @property
    def arranged(self) -> bool:
        """Whether what is drawn was made to be what a shortcut looks at."""
        return self.regular or bool(self.reach) or self.zeros == "all"

    @property
    def disordered(self) -> bool:
        """Whether positions, where there are any, stand in any order."""
        return self.turn % _TURNS == DISORDER and not self.far

    def usual(self, function: Function) -> bool:
        """Whether every choice that may be left out is what it is then."""
        may_be_left = (one for one in function.arguments if one.kind == "choice" and one.optional)
        return all(self.chosen[one.name] == one.default for one in may_be_left)

    def scope(self) -> dict[str, Any]:
        """What a sum may speak of."""
        return {**self.sizes, **self.chosen}


def shape_name(shape: tuple[str, ...]) -> str:
    """Write a shape as people do."""
    return f"({', '.join(shape)}{',' if len(shape) == 1 else ''})"


def grown(function: Function, gain: float) -> Message:
    """Say how inputs are made large."""
    many = [one for one in function.arguments if one.kind == "normal"]
    for growth in ("hidden", "later", "shifted"):
        names = [one.name for one in many if one.large == growth]
        if names:
            return say(f"case-{growth}", names=names, gain=gain)
    return say("case-gain", gain=gain)


def spoken(function: Function) -> set[str]:
    """The symbols of the sizes that a function's arguments and weights have."""
    texts = [axis for one in function.arguments for shape in one.shapes for axis in shape]
    texts += [one.value for one in function.arguments if one.value]
    texts += function.module.texts if function.module is not None else []
    return set().union(*(names(text) for text in texts)) if texts else set()
