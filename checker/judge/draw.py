"""What a function is tried with: sizes by turns, and every argument drawn to its kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from torch import Tensor

from ...kata.arithmetic import names, worth
from ...kata.functions import Argument, Function, choices
from ...kata.sizes import Sizes
from ..process.laid import Lies
from ..report.message import Message, say

__all__ = [
    "Case",
    "by_calls",
    "cases",
    "grown",
    "shape_name",
    "shifts",
    "small",
    "spoken",
]

_VALUES = 5
# Longer than the pieces of 16, 32, 48 or 64 positions that people work in.
_MIDDLING = 70
# A turn at which positions stand in any order, and how many turns later there is another.
_DISORDER, _TURNS = 2, 3
# Of so many turns one has a mask that is added.
_FORMS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One thing to try. check: what it counts for. turn: which of an argument's shapes it takes.

    mask: a kind of mask, or None for none. chosen: what each choice is. far: whether positions
    are far ones. train: whether it is tried in train mode, and loud: with its dropouts in it.
    schedule: the kind of a sequence of calls that it is part of, and after: what was given before
    it there. shared: which inputs of one shape are one tensor: all, the first two or the last two.
    zeros: whether each input holds a vector of zeros, and no bias adds anything to it. below:
    whether some rows hold nothing but scores far below 0. finite: whether gradients are asked to
    be finite and no more.
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
    zeros: bool = False
    below: bool = False
    finite: bool = False

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
            parts.append(say("case-zeros-made" if function.module is not None else "case-zeros"))
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

    def zeroed(self, function: Function) -> list[str]:
        """The inputs that hold a vector of zeros here."""
        many = (one for one in function.arguments if one.kind == "normal" and self.zeros)
        return [one.name for one in many if one.ties and len(self.shape_of(one)) > 1]

    @property
    def disordered(self) -> bool:
        """Whether positions, where there are any, stand in any order."""
        return self.turn % _TURNS == _DISORDER and not self.far

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


def shifts(function: Function) -> bool:
    """Whether inputs are made large by a shift, so that most of what they hold cancels."""
    return any(one.large in {"shifted", "later"} for one in function.arguments)


def _by_one(function: Function) -> bool:
    """Whether some inputs stay as they are where others are large, so that gradients stay small."""
    return any(one.large == "kept" for one in function.arguments)


def grown(function: Function, gain: float) -> Message:
    """Say how inputs are made large."""
    many = [one for one in function.arguments if one.kind == "normal"]
    for growth in ("hidden", "later", "shifted"):
        names = [one.name for one in many if one.large == growth]
        if names:
            return say(f"case-{growth}", names=names, gain=gain)
    return say("case-gain", gain=gain)


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
                        lies="turned" if place % 3 == 2 else "")] if plain else []),
                *(Case(check=check if not plain else "mask", sizes=row, chosen=chosen, mask=kind,
                       turn=place + k, lies="turned" if (place + k) % 4 == 1 else "")
                  for k, kind in enumerate(_kinds(mask, place)) if mask is not None),
            ]  # fmt: skip
            yield from (case for case in made if _holds(function, case))
    yield from _disordered(function, sizes)
    yield from _one_tensor(function, sizes)
    yield from _further(function, sizes)
    yield from _zeros(function, sizes)
    yield from _apart(function, sizes)


def _disordered(function: Function, sizes: Sizes) -> Iterator[Case]:
    """Positions in any order, at the first sizes: turns may bring them to a length of 1 alone.

    Far ones too, where no lower precision is tried.
    """
    if any(one.kind == "positions" for one in function.arguments) and not function.needs_mask:
        some = [*small(function, sizes, mask=False)]
        yield from (replace(case, turn=_DISORDER) for case in some)
        if function.far and not function.dtypes:
            yield from (replace(case, far=True) for case in some)


def _one_tensor(function: Function, sizes: Sizes) -> Iterator[Case]:
    """One tensor for several inputs, as attention is called most: an object may tell by it."""
    rows = _rows(function, sizes)[:2] if function.module is not None else []
    for number, row in enumerate(rows):
        case = Case(check="values", sizes=row, chosen=choices(function)[0], shared="all",
                    mask="random" if function.needs_mask else None)  # fmt: skip
        if not case.sharing(function) or not _holds(function, case):
            continue
        yield case
        # Of three, two: who asks whether query and key are one has said nothing of the value.
        two = replace(case, shared="first")
        if number and two.sharing(function) != case.sharing(function):
            yield from (two, replace(case, shared="last"))


def _zeros(function: Function, sizes: Sizes) -> Iterator[Case]:
    """A vector of zeros in each input: a score of exactly 0 is a score, and hides nothing."""
    mask = function.mask
    kind = mask and ("random" if "random" in mask.masks else mask.masks[0])
    check = "mask" if mask is not None and mask.optional else "values"
    # Where masks may be left out all are: of what they hide a score tells nothing.
    turn = len(function.spare) + 2 if function.spare else 0
    case = Case(check=check, sizes=sizes.first(), chosen=choices(function)[-1], mask=kind,
                turn=turn, zeros=True)  # fmt: skip
    if case.zeroed(function) and _holds(function, case):
        yield case


def _apart(function: Function, sizes: Sizes) -> Iterator[Case]:
    """Slices of something wider, at the first sizes: their rows do not follow one another.

    Every other tensor is turned, so that no two of one shape lie alike.
    """
    case = Case(check="values", sizes=sizes.first(), chosen=choices(function)[0], lies="apart",
                mask="random" if function.needs_mask else None)  # fmt: skip
    if _holds(function, case):
        yield case


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
                    # Of large scores little but 0 is left; what overflows is NaN all the same.
                    finite = not (shifts(function) or _by_one(function))
                    if function.gradients and not (finite and number):
                        yield replace(case, check="gradients", grad=True, finite=finite)
    yield from _below(function, sizes)
    yield from _large(function, sizes)


def _below(function: Function, sizes: Sizes) -> Iterator[Case]:
    """Rows of scores far below 0, where exp of what is measured from 0 leaves nothing."""
    case = Case(check="stability", sizes=sizes.first(), chosen=choices(function)[0], below=True,
                mask="random" if function.needs_mask else None, gain=function.large)  # fmt: skip
    if function.below and _holds(function, case):
        yield case


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
            if not number:
                yield from _long_masks(function, sizes, case)
                few = _middling(function, sizes, row)
                if function.gradients:
                    yield replace(case, check="gradients", grad=True, sizes=few)


def _middling(function: Function, sizes: Sizes, row: dict[str, int]) -> dict[str, int]:
    """A length at which pieces are several, and loops end soon; what is built for it stays."""
    texts = function.module.texts if function.module else []
    fixed = {symbol for text in texts for symbol in names(text)}
    return sizes.row({s: row[s] if s in fixed else min(row[s], _MIDDLING) for s in sizes.values})


def _long_masks(function: Function, sizes: Sizes, case: Case) -> Iterator[Case]:
    """The same with a mask that may be left out, in each of its shapes but those of every head."""
    mask = function.mask
    if mask is None or case.mask is not None:
        return
    heads = sizes.symbols.get("heads")
    for turn, shape in enumerate(mask.shapes):
        if heads not in shape:
            yield replace(case, mask="random", turn=turn)


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
