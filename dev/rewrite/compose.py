"""Passes one after the other, chosen and ordered by a seed, with followed lines kept in sight."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

import libcst as cst

from . import axes, functions, layers, layout, names, settings, spelling, statements
from .marks import marked, marks, unmarked
from .tree import tidy

__all__ = ["OPERATORS", "PASSES", "Rewritten", "chosen", "rewrite"]

# In the order in which they are listed; a seed chooses and orders.
PASSES: dict[str, Callable[[cst.Module, Random], cst.Module]] = {
    "scale-place": spelling.scale_place,
    "products": spelling.products,
    "transposes": spelling.transposes,
    "views": spelling.views,
    "cuts": axes.cuts,
    "joins": axes.joins,
    "moves": axes.moves,
    "rearranged": axes.rearranged,
    "sliced": spelling.sliced,
    "softmaxes": spelling.softmaxes,
    "fills": spelling.fills,
    "roots": spelling.roots,
    "fused": layers.fused,
    "apart": layers.apart,
    "keyed": layers.keyed,
    "listed": layers.listed,
    "raw": layers.raw,
    "pulled-out": functions.pulled_out,
    "lambdas": functions.lambdas,
    "by-name-alone": functions.by_name_alone,
    "configured": settings.configured,
    "properties": settings.properties,
    "inlined": statements.inlined,
    "named": statements.named,
    "reordered": statements.reordered,
    "locals": names.locals_,
    "arguments": names.arguments,
    "attributes": names.attributes,
    "helpers": names.helpers,
    "fewer-hints": layout.fewer_hints,
    "more-hints": layout.more_hints,
    "docstrings": layout.docstrings,
    "comments": layout.comments,
    "blank-lines": layout.blank_lines,
}
# Those that call other operators: where a kata says which are to be called, they stay.
OPERATORS = frozenset({
    "products", "transposes", "views", "cuts", "joins", "moves", "rearranged", "sliced",
    "softmaxes", "fills", "scale-place",
})  # fmt: skip
_SHARE = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """What a source became.

    passes: those that changed something, in order. lines: where each followed line of the input
    stands in the output.
    """

    source: str
    passes: tuple[str, ...]
    lines: dict[int, int]


def rewrite(
    source: str, *, seed: int, follow: Sequence[int] = (), passes: Sequence[str] | None = None
) -> Rewritten:
    """Write a source otherwise without changing what it computes; the same for the same seed.

    follow: lines, from 1, to find again in the output. passes: of those that the seed chooses,
    these alone; each does to a file what it does to it among the others, as far as it can.
    Raise SyntaxError where the source is no Python, ValueError where a line is not there.
    """
    text = marked(source, follow)
    done: list[str] = []
    for name in chosen(seed) if passes is None else passes:
        changed = _passed(text, name, Random(f"{seed} {name}"))  # noqa: S311 - no secret
        if changed is not None:
            text = changed
            done.append(name)
    written, lines = unmarked(text)
    return Rewritten(source=written, passes=tuple(done), lines=lines)


def chosen(seed: int) -> tuple[str, ...]:
    """Return the passes that a seed chooses, in its order."""
    rng = Random(f"{seed}")  # noqa: S311 - as above
    some = [name for name in PASSES if rng.random() < _SHARE]
    rng.shuffle(some)
    return tuple(some)


def _passed(text: str, name: str, rng: Random) -> str | None:
    """Return what a pass makes of a text; None where it changes nothing, or loses a mark."""
    module = cst.parse_module(text)
    try:
        made = PASSES[name](module, rng)
        changed = text if made.code == text else tidy(made).code
    except (cst.CSTValidationError, cst.ParserSyntaxError):
        # Brackets or a line's end that stood where the new expression has none.
        return None
    if changed == text or marks(changed) != marks(text):
        return None
    try:
        ast.parse(changed)
    except SyntaxError:
        return None
    return changed
