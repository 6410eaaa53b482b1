"""What a function is tried with: sizes by turns, and every argument drawn to its kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from ...kata.arithmetic import worth
from ...kata.catalogue import Kata
from ...kata.functions import Argument, Function, choices
from ...kata.sizes import Sizes
from .case import DISORDER, Case, spoken

__all__ = ["by_calls", "cases", "regular", "shifts", "small", "telling"]

_VALUES = 5
# How much larger still inputs are where gradients have to be finite and no more: most rows then
# have a score that exp makes nothing of, wherever it is measured from.
_FURTHER = 10
# What tables are made for at first, and grow to.
_EDGES = (128, 256, 512, 1024, 2048)
# In how many of a function's choices whole numbers follow a rule.
_REGULAR = 4
# Longer than the pieces of 16, 32, 48 or 64 positions that people work in.
_MIDDLING = 70


def shifts(function: Function) -> bool:
    """Whether inputs are made large by a shift, so that most of what they hold cancels."""
    return any(one.large in {"shifted", "later"} for one in function.arguments)


def _by_one(function: Function) -> bool:
    """Whether some inputs stay as they are where others are large, so that gradients stay small."""
    return any(one.large == "kept" for one in function.arguments)


def small(function: Function, sizes: Sizes, *, mask: bool, turn: int = 0) -> Iterator[Case]:
    """Yield the first sizes with every combination of choices: what a trace is made of."""
    for chosen in choices(function):
        case = Case(check="values", sizes=sizes.first(), chosen=chosen, turn=turn)
        if mask and function.mask is not None:
            case = Case(check="mask", sizes=case.sizes, chosen=chosen, mask="random", turn=turn)
        if _holds(function, case):
            yield case


def telling(kata: Kata, function: Function, most: int) -> list[Case]:
    """Give the first sizes' calls that are looked at most closely, with a mask and without."""
    needs, sizes = function.needs_mask, kata.asked.sizes
    plain = [*small(function, sizes, mask=needs)]
    if needs:  # Where nothing is hidden, a model does nothing that is left to its taste.
        full = [replace(case, mask="full") for case in plain]
        plain = full if kata.kind == "program" else []
    masked = [*small(function, sizes, mask=True)] if function.mask else []
    half = most if not (plain and masked) else max(1, most // 2)
    return [*plain[:half], *masked[:half]]


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
    yield from _reaching(function, sizes)
    yield from _disordered(function, sizes)
    yield from regular(function, sizes)
    yield from _one_tensor(function, sizes)
    yield from _further(function, sizes)
    yield from _zeros(function, sizes)
    yield from _apart(function, sizes)
    yield from _padded(function, sizes)
    yield from _hiding_nothing(function, sizes)


def _disordered(function: Function, sizes: Sizes) -> Iterator[Case]:
    """Positions in any order, at the first sizes: turns may bring them to a length of 1 alone.

    Far ones too, where no lower precision is tried.
    """
    if any(one.kind == "positions" for one in function.arguments) and not function.needs_mask:
        some = [*small(function, sizes, mask=False)]
        yield from (replace(case, turn=DISORDER) for case in some)
        if function.far and not function.dtypes:
            yield from (replace(case, far=True) for case in some)


def _reaching(function: Function, sizes: Sizes) -> Iterator[Case]:
    """Positions up to where a table that grows is full, before any that are further."""
    if any(one.kind == "positions" for one in function.arguments) and not function.needs_mask:
        case = next(small(function, sizes, mask=False), None)
        yield from (replace(case, reach=edge) for edge in _EDGES if case is not None)


def regular(function: Function, sizes: Sizes) -> Iterator[Case]:
    """Whole numbers that are all the same, or counted up: whoever asks for that has a shortcut."""
    if any(one.kind == "integers" for one in function.arguments):
        many = small(function, sizes, mask=function.needs_mask)
        yield from (replace(case, regular=True) for case in islice(many, _REGULAR))


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
                turn=turn, zeros="one")  # fmt: skip
    if any(map(case.zeroes, function.arguments)) and _holds(function, case):
        yield case
        if function.module is None:
            yield replace(case, zeros="all")


def _apart(function: Function, sizes: Sizes) -> Iterator[Case]:
    """Slices of something wider, at the first sizes: their rows do not follow one another.

    Every other tensor is turned, so that no two of one shape lie alike.
    """
    case = Case(check="values", sizes=sizes.first(), chosen=choices(function)[0], lies="apart",
                mask="random" if function.needs_mask else None)  # fmt: skip
    if _holds(function, case):
        yield case


def _padded(function: Function, sizes: Sizes) -> Iterator[Case]:
    """Padding of every sample but the first, of every one but the last, and of all of them."""
    mask = function.mask
    if mask is not None and "padding" in mask.masks:
        case = Case(check="mask" if mask.optional else "values", sizes=sizes.first(),
                    chosen=choices(function)[0], mask="padding")  # fmt: skip
        yield from (replace(case, turn=turn) for turn in range(3) if _holds(function, case))


def _hiding_nothing(function: Function, sizes: Sizes) -> Iterator[Case]:
    """A mask of ones with each of the choices: whoever asks for that has a shortcut."""
    mask = function.mask
    if mask is not None:
        check = "mask" if mask.optional else "values"
        case = Case(check=check, sizes=sizes.first(), mask="full")
        many = (replace(case, chosen=chosen) for chosen in choices(function))
        yield from (case for case in many if _holds(function, case))


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
                        gain = function.large * (_FURTHER if finite and function.large > 1 else 1)
                        yield replace(case, check="gradients", grad=True, finite=finite, gain=gain)
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
    fixed = function.module.symbols if function.module is not None else set()
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
