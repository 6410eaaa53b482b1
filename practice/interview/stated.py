"""What a step says of itself where it stands on no class contract: shapes, rules, the brief.

All of it is told from the kata's own data, so that a new kata needs nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...kata.catalogue import Kata
from ...kata.functions import Argument, Function, Sizes
from .texts import table

__all__ = ["mask_shapes", "passage", "rules", "shapes", "stated"]

# So many calls of a long list are named; what they have in common is clear by then.
_MOST = 5


# What every kata says alike, and every one of functions where it is kept to their formula.
_ALIKE = {"names": "stated", "lengths": "free", "judged": "free"}
_OF_FUNCTIONS = {"output": "formula", "dropout": "none", "bias": "none", "fused": "none"}


def stated(topic: str, kata: Kata) -> str:
    """Return what a kata without a class contract says about a topic.

    "brief" where the brief alone has it: its words are the answer then.
    """
    if topic in _ALIKE:
        return _ALIKE[topic]
    if kata.promised is not None:
        return "brief"
    if topic == "shape":
        # A shape that depends on a choice stands in the brief alone.
        known = all(one.shape for function in kata.asked.functions for one in function.results)
        return "stated" if known else "brief"
    if topic in {"library", "cost"}:
        return "stated" if rules(kata, "en") else "free"
    if topic == "cache":
        every = [one for function in kata.asked.functions for one in function.arguments]
        return "brief" if any(one.kind == "state" for one in every) else "none"
    if topic in {"mask", "meaning", "entries", "empty"}:
        return _of_masks(topic, kata.asked.functions)
    if kata.kind != "function":
        return "brief"
    if topic == "heads":
        return "axis" if "heads" in kata.asked.sizes.axes.values() else "none"
    return _OF_FUNCTIONS.get(topic, "brief")


def _of_masks(topic: str, functions: tuple[Function, ...]) -> str:
    """What is said of masks. A mask of the kind "mask" hides scores; others are made or moved."""
    every = [one for function in functions for one in function.arguments]
    taken = [one for one in every if one.kind == "mask"]
    moved = any(one.kind == "booleans" for one in every) or any(
        one.holds == "booleans" for function in functions for one in function.results
    )
    switched = any(one.check == "causality" for one in every)
    if topic == "mask":
        if moved or (switched and not taken):
            return "brief"
        return ("switched" if switched else "stated") if taken else "none"
    if not taken and not moved:
        return "brief" if topic == "empty" and switched else "none"
    if topic == "meaning":
        return "keep"
    if topic == "entries":
        return "brief" if taken and moved else "every" if taken else "bool"
    left_out = all(function.left_out for function in functions if function.mask is not None)
    return "free" if taken and left_out else "brief"


def passage(kata: Kata, language: str) -> str:
    """Return the brief's first section, which says what is asked, without its heading."""
    _, _, rest = kata.brief(language).partition("\n## ")
    _, _, rest = rest.partition("\n")
    return rest.partition("\n## ")[0].strip()


def shapes(kata: Kata) -> str:
    """Return the shapes of arguments and results, functions that share them told together."""
    asked = kata.asked
    return "\n".join(
        "\n".join([", ".join(names), *(f"  {row}" for row in told)])
        for names, told in _alike(asked.functions, lambda one: _shapes_of(one, asked.sizes))
    )


def _shapes_of(function: Function, sizes: Sizes) -> tuple[str, ...]:
    tensors = [one for one in function.arguments if one.shapes]
    given = [
        f"{one.name}: {shape}" if not at else f"{' ' * len(one.name)}| {shape}"
        for one in tensors
        for at, shape in enumerate(_shapes(one, sizes))
    ]
    return (*given, *(f"-> {_shape(one.shape, sizes)}" for one in function.results))


def mask_shapes(kata: Kata) -> str:
    """Return the shapes in which masks come."""
    asked = kata.asked
    masks = [one.mask for one in asked.functions if one.mask is not None]
    return ", ".join(dict.fromkeys(row for one in masks for row in _shapes(one, asked.sizes)))


def _shapes(argument: Argument, sizes: Sizes) -> list[str]:
    return [_shape(shape, sizes) for shape in argument.shapes]


def _shape(shape: tuple[str, ...], sizes: Sizes) -> str:
    inner = ", ".join(_axes(text, sizes) for text in shape)
    return f"({inner},)" if len(shape) == 1 else f"({inner})"


def _axes(text: str, sizes: Sizes) -> str:
    """Write a sum of sizes in the names of the axes."""
    return re.sub(r"[A-Za-z]\w*", lambda found: sizes.axes.get(found[0], found[0]), text)


def rules(kata: Kata, language: str) -> str:
    """Return the rules on operators and memory, a bullet each; "" where there are none."""
    asked = kata.asked
    told = _alike(asked.functions, lambda one: tuple(_rules_of(one, asked.sizes, language)))
    return "\n".join(
        f"- {_word('list', language).join(f'`{name}`' for name in names)}{_word('colon', language)}"
        f"{_word('comma', language).join(rows)}"
        for names, rows in told
        if rows
    )


def _rules_of(function: Function, sizes: Sizes, language: str) -> Iterator[str]:
    asked, memory = function.rules, function.memory
    for row in asked.must:
        either = _word("or", language).join(_call(one, language) for one in row)
        yield _word("must", language, calls=either)
    if asked.never:
        named = _word("list", language).join(_call(one, language) for one in asked.never[:_MOST])
        more = _word("more", language) if len(asked.never) > _MOST else ""
        yield _word("never", language, calls=f"{named}{more}")
    if not asked.loops:
        yield _word("loops", language)
    if memory.view_of:
        yield _word("view", language, argument=memory.view_of)
    if memory.copy_of:
        yield _word("copy", language, argument=memory.copy_of)
    if memory.contiguous is not None:
        yield _word("contiguous" if memory.contiguous else "scattered", language)
    if memory.strides:
        yield _word("strides", language, strides=_shape(memory.strides, sizes))
    if memory.largest:
        yield _word("largest", language, entries=_axes(memory.largest, sizes))
    if memory.apart:
        yield _word("apart", language, sizes=_shape(memory.apart, sizes))
    if memory.carried:
        yield _word("carried", language, entries=_axes(memory.carried, sizes))
    if memory.rows:
        yield _word("rows", language, rows=_axes(memory.rows, sizes))


def _call(name: str, language: str) -> str:
    """Write what a rule names: a call, or a group of them in words."""
    groups: Mapping[str, Any] = table("clarifications.toml")["calls"]
    return groups[name][language] if name in groups else f"`{name}`"


def _word(name: str, language: str, **values: str) -> str:
    text: str = table("clarifications.toml")["rules"][name][language]
    return text.format(**values)


def _alike(
    functions: tuple[Function, ...], told: Callable[[Function], tuple[str, ...]]
) -> list[tuple[list[str], tuple[str, ...]]]:
    """Put functions together of which the same is told, in the order in which they come."""
    found: dict[tuple[str, ...], list[str]] = {}
    for function in functions:
        found.setdefault(told(function), []).append(function.name)
    return [(names, rows) for rows, names in found.items()]
