"""How each mistake that is an edit looks in numbers: the model answer's steps, right and wrong.

The same weights and inputs go through the model answer and through its edited copy.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator
from dataclasses import replace
from itertools import chain

import torch
from torch import Tensor

from ..checker import MISTAKE_IDS
from ..checker.judge.case import Case
from ..checker.judge.draw import cases, small
from ..checker.judge.drawing import draw
from ..checker.judge.given import Given
from ..checker.judge.sequences import KINDS, sequence
from ..checker.judge.truth import Answer, answers, made
from ..kata.catalogue import Kata, find
from ..kata.functions import Function
from ..kata.pages import wanted
from ..kata.sizes import Sizes
from ..kata.slips import Slip, slips, with_number
from ..sentences.wording import sentence

__all__ = ["blocks", "own_blocks"]

_SEED = 5
_KATAS = ("mha", "v4", "v2", "causal", "cross")
_OWN = {"causal": ("causal",), "mask": ("v4",)}
_COLUMNS = 6
# A column beside a label that leaves room for it on a screen of 80, and beside a longer one.
_WIDE, _NARROW, _LABEL = 8, 7, 17
_INFINITE = 1e6
_LEAD = {
    "en": "Seed {seed}, kata {kata}, {case}; ✓ is right, × has the mistake:",
    "zh": "种子 {seed}，{kata} 题，{case}；✓ 是对的，× 带有这个错误：",
}
_OWN_LEAD = {
    "en": "Seed {seed}, `{name}`, {case}; ✓ is right, × has the mistake:",
    "zh": "种子 {seed}，`{name}`，{case}；✓ 是对的，× 带有这个错误：",
}


def blocks() -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each shared mistake's id with its lead in both languages and its rows."""
    for name in MISTAKE_IDS:
        if "numbers" in wanted(name, "en"):
            yield name, _block(*_first(name), _LEAD)


def own_blocks(kata: Kata, but: Container[str] = ()) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the same for the pages that a kata of functions has in its own folder.

    Only for those that ask for numbers: what shows in half precision alone has none. but: those
    whose own code gives theirs.
    """
    pages = {
        path.name.partition(".")[0]
        for path in (kata.folder / "pages").glob("*.md")
        if "{numbers}" in path.read_text("utf-8")
    }
    for slip in slips(kata.folder):
        if slip.id not in pages or slip.id in but:
            continue
        yield slip.id, _block(kata, slip, _OWN_LEAD)


def _block(kata: Kata, slip: Slip, leads: dict[str, str]) -> dict[str, str]:
    """A mistake's rows, and what leads to them in both languages."""
    shown = next(_shown(kata, slip), None)
    if shown is None:
        raise LookupError(f"{kata.id}: no edit of {slip.id} changes a result")
    function, case, right, wrong = shown
    figures = {"numbers": "\n".join(_rows(right, wrong))}
    for language, lead in leads.items():
        label = sentence(case.label(function, kata.asked.sizes), language)
        names = {"kata": kata.id, "name": function.name}
        figures[f"lead-{language}"] = lead.format(seed=_SEED, case=label, **names)
    return figures


def _shown(
    kata: Kata, slip: Slip
) -> Iterator[tuple[Function, Case, dict[str, Tensor], dict[str, Tensor]]]:
    """Yield cases in which an edit changes a result, with the steps of both."""
    truth = answers(kata)
    assert truth is not None
    for edit in chain.from_iterable(with_number(edit, [slip.number]) for edit in slip.edits):
        edited_answers = answers(kata, (edit,))
        for function in kata.asked.functions if edited_answers else ():
            assert edited_answers is not None
            for case, given in _tried(function, kata.asked.sizes):
                try:
                    both = [_steps(each[function.name], given)
                            for each in (truth, edited_answers)]  # fmt: skip
                except RuntimeError:
                    continue
                results = {"output", *(one.name for one in function.results)}
                if not all(_same(both[0][n], both[1][n]) for n in results & both[0].keys()):
                    yield function, case, both[0], both[1]


def _steps(answer: Answer, given: Given) -> dict[str, Tensor]:
    """What a call names last, in the order that it is named in: a caller's before what it calls."""
    last = made(answer, given).steps
    order = made(answer, given, ordered=True).steps
    return {name: last[name] for name in order if name in last}


def _tried(function: Function, sizes: Sizes) -> Iterator[tuple[Case, Given]]:
    """Yield what may show a mistake: the first sizes, empty rows, large values, calls in a row."""
    large = (c for c in cases(function, sizes) if c.check == "stability")
    for case in (*small(function, sizes, mask=False), *small(function, sizes, mask=True),
                 *(c for c in cases(function, sizes) if c.mask == "empty"),
                 *large):  # fmt: skip
        if case.mask is None and function.mask is not None and not function.mask.optional:
            continue
        yield case, draw(function, case, torch.Generator().manual_seed(_SEED))
    for case in small(function, sizes, mask=function.needs_mask) if function.laid else ():
        laid = replace(case, lies="turned")
        drawn = draw(function, laid, torch.Generator().manual_seed(_SEED))
        yield laid, drawn.strided(laid.lying(drawn.tensors))
    if function.state is None:
        return
    for kind in KINDS:
        draws = torch.Generator().manual_seed(_SEED)
        yield from sequence(
            function, sizes.first(), kind, lambda case, draws=draws: draw(function, case, draws)
        )


def _first(name: str) -> tuple[Kata, Slip]:
    """A mistake in the kata that shows it best."""
    for kata in map(find, (*_OWN.get(name.partition("-")[0], ()), *_KATAS)):
        for slip in slips(kata.folder):
            if slip.id == name:
                return kata, slip
    raise LookupError(name)


def _rows(right: dict[str, Tensor], wrong: dict[str, Tensor]) -> Iterator[str]:
    """Yield the first step that differs, the weights and the output, each in two rows."""
    differ = [name for name in right if name in wrong and not _same(right[name], wrong[name])]
    # What differs in later decimals alone is shown where nothing else does.
    both = [n for n in differ if not _reads_alike(right[n], wrong[n])] or differ
    alike = [name for name in both if right[name].shape == wrong[name].shape]
    first = [both[0]] if both[0] in alike else [both[0], *alike[:1]]
    told = {*first, "weights", "output"}
    shown = [name for name in both if name in told]
    widest = max(len(_label(name, right[name], (0,) * 3)) for name in shown)
    wide = _WIDE if widest <= _LABEL else _NARROW
    for name in shown:
        mine, theirs = wrong[name], right[name]
        if mine.shape != theirs.shape:
            yield f"✓ {name}.shape  {tuple(theirs.shape)}"
            yield f"× {name}.shape  {tuple(mine.shape)}"
            continue
        place = _worst(mine, theirs)
        label = _label(name, theirs, place).ljust(widest)
        pair = [tensor[place].reshape(-1) for tensor in (theirs, mine)]
        start = _first_column(*pair)
        for sign, row in zip("✓×", pair, strict=True):
            part = row[start : start + _COLUMNS]
            cells = "".join(f"{_number(value.item()):>{wide}}" for value in part)
            before, more = " …" * (start > 0), " …" * (len(row) > start + _COLUMNS)
            total = f"   Σ {float(row.sum()):.2f}" if name == "weights" else ""
            yield f"{sign} {label}{before}{cells}{more}{total}"
    if "output" in both and right["output"].shape == wrong["output"].shape:
        off = float((wrong["output"].double() - right["output"].double()).abs().max())
        several = right["output"].is_floating_point() and right["output"].numel() > 1
        if several and math.isfinite(off):
            spread = float(right["output"].std())
            yield f"output: max |× - ✓| {_number(off)}, std(✓) {_number(spread)}"


def _worst(mine: Tensor, theirs: Tensor) -> tuple[int, ...]:
    """The row in which two tensors differ most; the first that comes within rounding of it."""
    if not mine.dim():
        return ()
    off = (mine.double() - theirs.double()).abs().nan_to_num(nan=torch.inf, posinf=torch.inf)
    # What is infinite in both does not differ.
    rows = off.masked_fill(mine == theirs, 0).clamp(max=_INFINITE).sum(-1)
    most = float(rows.max())
    place = int((rows >= most - 1e-5 * most).flatten().nonzero()[0])
    return tuple(int(axis) for axis in torch.unravel_index(torch.tensor(place), rows.shape))


def _first_column(one: Tensor, other: Tensor) -> int:
    """The column to begin with: the first, unless only later ones would show a difference."""
    hidden = max(0, len(one) - _COLUMNS)
    # The first columns or the last, and else those between in which it comes up.
    starts = (at for at in (0, hidden, *range(hidden)) if not _reads_alike(
        one[at : at + _COLUMNS], other[at : at + _COLUMNS]))  # fmt: skip
    return next(starts, hidden)


def _reads_alike(one: Tensor, other: Tensor) -> bool:
    """Whether what is shown is the same: two decimals, and infinity for very large numbers."""
    shown = (each.double().clamp(-_INFINITE, _INFINITE) for each in (one, other))
    return _same(*shown, within=0.005)


def _label(name: str, tensor: Tensor, place: tuple[int, ...]) -> str:
    axes = ", ".join(str(one) for one in place[: tensor.dim() - 1])
    return f"{name}[{axes}]" if axes else name


def _number(value: float) -> str:
    if isinstance(value, int):
        return str(int(value))
    if math.isnan(value):
        return "nan"
    if abs(value) >= _INFINITE:
        return "-inf" if value < 0 else "inf"
    text = f"{value:.2f}" if abs(value) < 100 else f"{value:.0f}"
    return text.lstrip("-") if not text.strip("-0.") else text


def _same(left: Tensor, right: Tensor, within: float = 1e-9) -> bool:
    return left.shape == right.shape and bool(
        torch.isclose(left.double(), right.double(), rtol=0, atol=within, equal_nan=True).all()
    )
