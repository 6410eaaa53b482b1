"""Layers that a submission has no weights for or shares, and blocks that there are too many of."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from ...kata.arithmetic import worth
from ...kata.slips import slips
from ..diagnose.blocks import is_constructor, multiplied_line, shared, wrapped
from ..diagnose.diagnose import Named
from ..diagnose.statements import frozen_line
from ..report.message import Said, say
from .begun import misbegun
from .case import shape_name
from .examine import Examination
from .layers import shares_layers
from .sheet import Sheet
from .weighing import Weighing
from .weights.derived import Derived
from .weights.parameter_names import block_of

__all__ = ["few", "lacks", "shares"]

_SHARED = "layers-shared"
_AS_ONE = "layers-shared-as-one"
# What `query_proj`, `query` and `queries` have in common, and `key` and `keys`.
_STEM = 3
# How many weights are named.
_FEW = 3


def few(names: Sequence[str]) -> list[str]:
    """The first of several weights' names, as a report shows them."""
    told = [f"`{name}`" for name in names[:_FEW]]
    return [*told[:-1], f"{told[-1]} …"] if len(names) > _FEW else told


def lacks(page: Sheet, one: Weighing, line: int | None) -> Said | None:
    """Name layers that are missing, frozen, shared or begin wrongly, or blocks miscounted.

    line: of the class. Return what the check says then; None where nothing lacks.
    """
    frozen = sorted({*one.shown.frozen} & {*one.shown.still})
    if frozen:
        names = few(frozen)
        page.blame("weights-frozen", frozen_line(page.source.tree) or line, names=names)
        return say("fail-frozen", names=names)
    wrong = one.found.findings.get("values")
    held, asked = one.held.blocks
    if held > asked or (held < asked and not wrong):
        roles = one.held.roles.items()
        told = [name for layer, names in roles if block_of(layer) for name in names]
        of_blocks = told or [name for name in one.held.first if block_of(name)]
        line = page.lines.assignment(of_blocks[0].split(".")[0]) or line
        page.blame("blocks-miscounted", line, held=held, asked=asked)
        return say("fail-blocks", held=held, asked=asked)
    if wrong and (resized := _resized(one)) is not None:
        name, size, text = resized
        ignored = f"{size.replace('_', '-')}-ignored"
        if any(slip.id == ignored for slip in slips(one.kata.folder)):
            made = page.lines.assignment(name.split(".")[0]) or page.lines.making(name)
            page.blame(ignored, made or line, "slip", kata=one.kata.id, id=ignored)
        return text
    if one.held.shared:
        names = [f"`{name}`" for name in one.held.shared]
        place = multiplied_line(page.source.tree) or _shared_line(page)
        place = place or page.lines.making(one.held.shared[0]) or line
        layers = [n for n, held in one.held.roles.items() if {*held} & {*one.held.shared}]
        if any(map(block_of, layers)):
            page.blame(_SHARED, place, "layers-shared-in-part", names=names)
            return say("layers-shared-in-part", names=names)
        names = _owners(one.held.shared)
        page.blame(_SHARED, place, _AS_ONE, names=names, layers=layers)
        return say(_AS_ONE, names=names, layers=layers)
    if one.held.repeated:
        names = [f"`{name}`" for name in one.held.repeated]
        place = _shared_line(page) or page.lines.making(one.held.repeated[0]) or line
        page.blame("heads-share-projection", place, "heads-share-projection-whole", names=names)
        return say("heads-share-projection-whole", names=names)
    if one.held.lacking and not wrong:
        # It gives what the model answer gives without them, which has to learn them.
        names = [f"`{n}`" for n in one.held.lacking]
        page.blame("weights-frozen", frozen_line(page.source.tree) or line, names=names)
        return say("fail-frozen", names=names)
    if one.shown.together and not wrong:
        # Brought to another dtype each has a memory of its own, and the numbers are right.
        some = one.shown.together[0]
        made = [node for node in ast.walk(page.source.tree) if is_constructor(node)]
        place = next(wrapped(made), None) or page.lines.making(some[1]) or line
        page.blame(_SHARED, place, "layers-shared-memory", names=few(some))
        return say("layers-shared-memory", names=few(some))
    begun = {} if wrong else misbegun(one)
    if begun:
        names = [f"`{name}`" for name in begun]
        first, number = next(iter(begun.items()))
        line = page.lines.assignment(first.rpartition(".")[2]) or page.lines.making(first) or line
        page.blame("weights-misbegun", line, names=names, number=number)
        return say("weights-misbegun", names=names, number=number)
    place = multiplied_line(page.source.tree)
    # Where numbers show it, they have a line for it too.
    shown = wrong and place is None and _SHARED in {slip.id for slip in slips(one.kata.folder)}
    if shown or not shares_layers(one):
        return None
    page.blame(_SHARED, place or line)
    return say(_SHARED)


def shares(page: Sheet, one: Examination, named: Sequence[Named]) -> list[Named]:
    """Name a layer that works for one that was never made. Return the mistakes that are left.

    The numbers are those of a layer that is made and not used.
    """
    left: list[Named] = []
    for each in named:
        layers = _at_work(one, each) if each.slip.id == "projection-unused" else []
        if isinstance(one, Weighing) and layers:
            names = _owners(one.held.roles[layers[0]])
            page.blame(_SHARED, each.line, _AS_ONE, names=names, layers=layers)
            told = page.report.diagnosis[-1]
            told.reference, told.matches = each.reference, each.matches
        else:
            left.append(each)
    return left


def _at_work(one: Examination, named: Named) -> list[str]:
    """The layer that works for others, and those that there are no weights for, if that is so."""
    if not isinstance(one, Weighing) or one.held.unused:
        return []
    texts = (text or "" for text in (named.reference, named.matches))
    before, after = (Counter(re.findall(r"\w+", text)) for text in texts)
    gone = [name for name in one.held.lacking if _speaks(before, name)]
    works = [name for name in one.held.roles if _speaks(after - before, name)]
    return [*works[:1], *gone] if gone and works else []


def _speaks(words: Iterable[str], layer: str) -> bool:
    return any(word.startswith(layer[:_STEM]) for word in words)


def _owners(names: Sequence[str]) -> list[str]:
    """The layers that weights are of, each once; of a weight by itself its own name."""
    return [f"`{one}`" for one in dict.fromkeys(n.rpartition(".")[0] or n for n in names)]


def _resized(one: Weighing) -> tuple[str, str, Said] | None:
    """A parameter that is larger or smaller than the kata asks, the size that it ought to have.

    With what is said of it. Where layers lie side by side nobody knows which is so.
    """
    sizes, reading = one.sizes.first(), one.held.reading
    layers = {layer.name: layer for layer in one.module.layers}
    for take in reading if not isinstance(reading, Derived) and not one.held.aligned else ():
        name, shape = take.names[0], layers[take.layers[0]].shape
        held, wanted = one.held.first[name], [worth(text, sizes) for text in shape]
        plain = len(take.layers) == len(take.names) == 1 and not take.parts and not take.times
        if not plain or len(held) != len(wanted):
            continue
        off = [text for text, mine, right in zip(shape, held, wanted, strict=True) if mine != right]
        size = one.sizes.axes.get(off[0]) if len(off) == 1 else None
        if size is not None:
            mine, right = (shape_name(tuple(map(str, side))) for side in (held, wanted))
            return name, size, say("fail-width", name=name, size=size, held=mine, wanted=right)
    return None


def _shared_line(page: Sheet) -> int | None:
    """Where a constructor puts a module that was made once into several places."""
    made = (node for node in ast.walk(page.source.tree) if is_constructor(node))
    return next(shared([*made]), None)
