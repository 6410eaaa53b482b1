"""What a function is tried with: sizes by turns, and every argument drawn to its kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from ...kata.arithmetic import names, worth
from ...kata.functions import Argument, Function, choices
from ...kata.modules import Module
from ...kata.sizes import Sizes
from ..candidate.stand_in import StandIn
from ..report.message import Message, say
from .masks import SHOWN, drawn_mask

__all__ = [
    "Case",
    "Given",
    "by_calls",
    "cases",
    "draw",
    "grown",
    "shape_name",
    "shifts",
    "small",
    "spoken",
]

_VALUES = 5
# The turns, of as many, at which positions stand in any order.
_DISORDER, _TURNS = 2, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One thing to try. check: what it counts for. turn: which of an argument's shapes it takes.

    mask: a kind of mask, or None for none. chosen: what each choice is. far: whether positions
    are far ones. train: whether it is tried in train mode. schedule: the kind of a sequence of
    calls that it is part of, and after: what was given before it there.
    """

    check: str
    sizes: dict[str, int]
    chosen: dict[str, Any] = field(default_factory=dict)
    mask: str | None = None
    turn: int = 0
    gain: float = 1.0
    strided: bool = False
    grad: bool = False
    far: bool = False
    train: bool = False
    schedule: str = ""
    after: int = 0
    large: bool = False

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
        if self.schedule:
            parts.append(say(f"direct-{self.schedule}", after=self.after))
        if self.gain != 1:
            parts.append(grown(function, self.gain))
        # One axis alone lies as it lies.
        wide = any(len(self.shape_of(one)) > 1 for one in function.arguments if one.tensor)
        if self.strided and wide:
            parts.append(say("case-strided"))
        if self.far:
            parts.append(say("direct-far"))
        if self.train:
            parts.append(say("case-train"))
        return say("listed", parts=parts)

    def shape_of(self, argument: Argument) -> tuple[str, ...]:
        """The shape that an argument has here, in symbols."""
        return argument.shapes[self.turn % len(argument.shapes)]

    def taken_of(self, argument: Argument) -> tuple[str, ...]:
        """The shape in which a submission takes it."""
        return (argument.taken or argument.shapes)[self.turn % len(argument.shapes)]

    def axes(self, function: Function) -> dict[str, tuple[str, ...]]:
        """The shape of each tensor that a function takes here, in symbols."""
        return {one.name: self.shape_of(one) for one in function.arguments if one.tensor}

    def usual(self, function: Function) -> bool:
        """Whether every choice that may be left out is what it is then."""
        may_be_left = (one for one in function.arguments if one.kind == "choice" and one.optional)
        return all(self.chosen[one.name] == one.default for one in may_be_left)

    def scope(self) -> dict[str, Any]:
        """What a sum may speak of."""
        return {**self.sizes, **self.chosen}


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The arguments of one call by name. A mask is True where one may attend.

    tensors: in float64 where they hold floats. plain: what is no tensor. left: those that are
    left out. Of an object settings and weights are what it is made with, the weights by the
    model answer's names. stacks: the layers that it holds in one. state: the argument that takes
    what an earlier call gave back, which lies under the name `carried` ("" for none); what this
    one gives back is kept under `kept`. before: the calls on the same object before this one.
    twice: arguments given another's tensor. models: of the tensors those that are the weights of
    a model, and whether it is sure of every token.
    """

    tensors: dict[str, Tensor]
    plain: dict[str, Any]
    left: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)
    weights: dict[str, Tensor] = field(default_factory=dict)
    stacks: dict[str, tuple[str, ...]] = field(default_factory=dict)
    twice: dict[str, str] = field(default_factory=dict)
    state: str = ""
    carried: str = ""
    kept: str = ""
    before: tuple[Given, ...] = ()
    models: dict[str, bool] = field(default_factory=dict)

    @property
    def handed(self) -> dict[str, Any]:
        """All arguments as the model answer gets them."""
        twice = {name: self.tensors[source] for name, source in self.twice.items()}
        made = {
            name: StandIn(self.tensors[name], sharp=sharp) for name, sharp in self.models.items()
        }
        return {**self.tensors, **self.plain, **twice, **made}

    def rounded(self, dtype: torch.dtype) -> Given:
        """The same, in what a dtype can hold."""
        tensors = {
            name: t.to(dtype).double() if t.is_floating_point() else t
            for name, t in self.tensors.items()
        }
        return replace(self, tensors=tensors)

    def otherwise(self) -> Given:
        """The same with other values in every tensor, to see what depends on them."""

        def turned(tensor: Tensor) -> Tensor:
            if tensor.dtype is torch.bool:
                return ~tensor
            return tensor * 1.5 + 0.25 if tensor.is_floating_point() else tensor + 1

        tensors = {name: turned(tensor) for name, tensor in self.tensors.items()}
        before = tuple(earlier.otherwise() for earlier in self.before)
        return replace(self, tensors=tensors, before=before)

    @property
    def held(self) -> dict[str, Tensor]:
        """The weights by the model answer's parameters, those that it stacks as one."""
        found = dict(self.weights)
        for name, layers in self.stacks.items():
            for leaf in ("weight", "bias"):
                parts = [found.pop(f"{layer}.{leaf}") for layer in layers]
                found[f"{name}.{leaf}"] = torch.cat(parts)
        return found

    def cut(self, axis: str, start: int, length: int, axes: Mapping[str, tuple[str, ...]]) -> Given:
        """The same in a stretch of an axis, in each tensor whose axes have it."""
        tensors = {
            name: t.narrow(axes[name].index(axis), start, length) if axis in axes[name] else t
            for name, t in self.tensors.items()
        }
        return replace(self, tensors=tensors)

    def within(self, dtype: torch.dtype) -> Given:
        """The same, its floats in a dtype."""
        tensors = {n: t.to(dtype) if t.is_floating_point() else t for n, t in self.tensors.items()}
        return replace(self, tensors=tensors)


def shape_name(shape: tuple[str, ...]) -> str:
    """Write a shape as people do."""
    return f"({', '.join(shape)}{',' if len(shape) == 1 else ''})"


def shifts(function: Function) -> bool:
    """Whether inputs are made large by a shift, so that most of what they hold cancels."""
    return any(one.large == "shifted" for one in function.arguments)


def grown(function: Function, gain: float) -> Message:
    """Say how inputs are made large."""
    many = [one for one in function.arguments if one.kind == "normal"]
    shifted = [one.name for one in many if one.large == "shifted"]
    if all(one.large == "multiplied" for one in many) or not shifted:
        return say("case-gain", gain=gain)
    return say("case-shift", names=shifted, gain=gain)


def small(function: Function, sizes: Sizes, *, mask: bool, turn: int = 0) -> Iterator[Case]:
    """Yield the first sizes with every combination of choices: what a trace is made of."""
    for chosen in choices(function):
        case = Case(check="values", sizes=sizes.first(), chosen=chosen, turn=turn)
        if mask and function.mask is not None:
            case = Case(check="mask", sizes=case.sizes, chosen=chosen, mask="random", turn=turn)
        if _holds(function, case):
            yield case


def cases(function: Function, sizes: Sizes) -> Iterator[Case]:
    """Yield everything that is tried of a function in float64, values first."""
    many = choices(function)
    mask = function.mask
    place = 0
    for number, row in enumerate(_rows(function, sizes)):
        # Every combination of choices on the first sizes, then by turns.
        here = many if number < _VALUES else [many[(number + k) % len(many)] for k in range(2)]
        for chosen in here if len(many) > 1 else many:
            place += 1
            plain = mask is None or mask.optional
            check = _check(function, chosen, number)
            made = [
                *([Case(check=check, sizes=row, chosen=chosen, turn=place,
                        strided=place % 3 == 2)] if plain else []),
                *(Case(check=check if not plain else "mask", sizes=row, chosen=chosen, mask=kind,
                       turn=place + k, strided=(place + k) % 4 == 1)
                  for k, kind in enumerate(_kinds(mask, place)) if mask is not None),
            ]  # fmt: skip
            yield from (case for case in made if _holds(function, case))
    yield from _disordered(function, sizes)
    yield from _further(function, sizes)


def _disordered(function: Function, sizes: Sizes) -> Iterator[Case]:
    """Positions in any order, at the first sizes: turns may bring them to a length of 1 alone."""
    if any(one.kind == "positions" for one in function.arguments) and not function.needs_mask:
        yield from (replace(case, turn=_DISORDER) for case in small(function, sizes, mask=False))


def _further(function: Function, sizes: Sizes) -> Iterator[Case]:
    """Gradients and large values, on some of the sizes."""
    rows = _rows(function, sizes)[:3]
    argument = function.mask
    masks: list[str | None] = [None] if argument is None or argument.optional else []
    if argument is not None:
        masks += [kind for kind in ("random", "empty") if kind in argument.masks]
    for number, row in enumerate(rows):
        for place, chosen in enumerate(choices(function)[:3]):
            for mask in masks:
                case = Case(check="gradients", sizes=row, chosen=chosen, mask=mask,
                            turn=number + place, grad=True)  # fmt: skip
                if function.gradients and _holds(function, case):
                    yield case
                case = Case(check="stability", sizes=row, chosen=chosen, mask=mask,
                            turn=number + place, gain=function.large)  # fmt: skip
                if function.large and _holds(function, case):
                    yield case
                    if function.gradients and shifts(function):
                        yield replace(case, check="gradients", grad=True)
    yield from _large(function, sizes)


def _large(function: Function, sizes: Sizes) -> Iterator[Case]:
    """The sizes that people use, each with one of the choices, the least usual first."""
    many, by_calls_alone = choices(function)[::-1], by_calls(function, sizes)
    for number, row in enumerate(_told_apart(function, sizes.large_rows())):
        if row in by_calls_alone:
            continue
        case = Case(
            check="lengths", sizes=row, chosen=many[number % len(many)],
            mask="random" if function.needs_mask else None, large=True,
        )  # fmt: skip
        if _holds(function, case):
            yield case


def by_calls(function: Function, sizes: Sizes) -> list[dict[str, int]]:
    """The large sizes that a sequence of calls tries: the long ones, where there is a state."""
    state = function.state
    if state is None:
        return []
    usual = sizes.first()[state.along]
    return [row for row in sizes.large_rows() if row[state.along] > usual]


def _rows(function: Function, sizes: Sizes) -> list[dict[str, int]]:
    return _told_apart(function, sizes.rows())


def _told_apart(function: Function, rows: Iterable[dict[str, int]]) -> list[dict[str, int]]:
    """The sizes that a function's arguments tell apart, each once."""
    named = spoken(function)
    found: dict[tuple[int, ...], dict[str, int]] = {}
    for row in rows:
        found.setdefault(tuple(size for name, size in row.items() if name in named), row)
    return list(found.values())


def spoken(function: Function) -> set[str]:
    """The symbols of the sizes that a function's arguments and weights have."""
    texts = [axis for one in function.arguments for shape in one.shapes for axis in shape]
    texts += [one.value for one in function.arguments if one.value]
    texts += function.module.texts if function.module is not None else []
    return set().union(*(names(text) for text in texts)) if texts else set()


def _check(function: Function, chosen: dict[str, Any], number: int) -> str:
    for one in function.arguments:
        unusual = one.kind == "choice" and one.optional and chosen[one.name] != one.default
        if unusual and one.check != "values":
            return one.check
    return "values" if number < _VALUES else "lengths"


def _kinds(mask: Argument | None, place: int) -> tuple[str, ...]:
    if mask is None:
        return ()
    return tuple(mask.masks[(place + k) % len(mask.masks)] for k in range(min(2, len(mask.masks))))


def _holds(function: Function, case: Case) -> bool:
    return all(worth(text, case.scope()) for text in function.where)


def draw(function: Function, case: Case, generator: torch.Generator) -> Given:
    """Draw a case's arguments."""
    tensors: dict[str, Tensor] = {}
    plain: dict[str, Any] = {}
    left: list[str] = []
    state = "" if function.state is None else function.state.name
    for one in function.arguments:
        if one.kind == "choice":
            # What is as it is without being said is left out by turns.
            if one.optional and case.chosen[one.name] == one.default and case.turn % 2:
                left.append(one.name)
            else:
                plain[one.name] = case.chosen[one.name]
        elif one.kind == "size":
            plain[one.name] = worth(one.value, case.scope())
        elif one.kind == "state":
            plain[one.name] = None
        elif one.kind == "mask" and case.mask is None:
            left.append(one.name)
        else:
            tensors[one.name] = _tensor(one, case, generator)
    module = function.module
    return Given(
        tensors=tensors, plain=plain, left=tuple(left), state=state, kept=state and "last",
        models=function.models,
        settings={} if module is None else module.worth(case.scope()),
        weights={} if module is None else _weights(module, case, generator),
        stacks={} if module is None else module.stacks, twice=function.twice,
    )  # fmt: skip


def _weights(module: Module, case: Case, generator: torch.Generator) -> dict[str, Tensor]:
    """Draw the model answer's own weights."""
    found: dict[str, Tensor] = {}
    for layer in (one for one in module.layers if not one.extra):
        shape = [worth(axis, case.scope()) for axis in layer.shape]
        scale = 1.5 / shape[-1] ** 0.5 if len(shape) > 1 else 0.5
        for name, axes in (("weight", shape), *([("bias", shape[:1])] if layer.bias else [])):
            values = torch.randn(axes, generator=generator, dtype=torch.float64)
            found[f"{layer.name}.{name}"] = values * (scale if name == "weight" else 0.5)
    return found


def _tensor(one: Argument, case: Case, generator: torch.Generator) -> Tensor:
    shape = [worth(axis, case.scope()) for axis in case.shape_of(one)]
    if one.kind == "mask":
        return drawn_mask(case.mask or "random", shape, generator)
    if one.kind == "integers":
        low, high = worth(one.low, case.scope()), worth(one.high, case.scope())
        return torch.randint(low, high + 1, shape, generator=generator)
    if one.kind == "tokens":
        return _tokens(one, case, shape, generator)
    if one.kind == "booleans":
        return torch.rand(shape, generator=generator) < SHOWN
    if one.kind == "positions":
        return _positions(one, case, shape, generator)
    values = torch.randn(shape, generator=generator, dtype=torch.float64)
    if one.kind == "probabilities":
        return values.softmax(-1)
    if case.gain == 1 or one.large == "kept":
        return values
    return values * case.gain if one.large == "multiplied" else values + case.gain


def _tokens(one: Argument, case: Case, shape: list[int], generator: torch.Generator) -> Tensor:
    """Draw tokens; by turns rows are shorter, of two at least, and filled up with the lowest."""
    low, high = worth(one.low, case.scope()), worth(one.high, case.scope())
    tokens = torch.randint(low + 1, high + 1, shape, generator=generator)
    if case.turn % 2 or shape[-1] < 3:
        return tokens
    lengths = torch.randint(2, shape[-1], (*shape[:-1], 1), generator=generator)
    return tokens.masked_fill(torch.arange(shape[-1]) >= lengths, low)


def _positions(one: Argument, case: Case, shape: list[int], generator: torch.Generator) -> Tensor:
    """Draw positions: counted up from 0 or from later on, or, by turns, some in any order."""
    length = shape[-1]
    start = int(torch.randint(1, 9, (1,), generator=generator)) if case.turn % 2 else 0
    start += one.far if case.far else 0
    places = torch.arange(start, start + length)
    if case.turn % _TURNS == _DISORDER and not case.far:
        places = torch.randperm(2 * length, generator=generator)[:length]
    return places.expand(shape).clone()
