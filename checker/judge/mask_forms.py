"""In which shapes and dtypes a submission takes its mask: found by trying them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import torch

from ...kata.functions import Argument
from ..diagnose.crashes import raised
from ..process.wire import dtype_name
from ..report.message import say
from .case import shape_name
from .draw import small
from .masks import MASK_DTYPES
from .sheet import Sheet
from .trials import Finding, by_dtype

if TYPE_CHECKING:
    from .examine import Examination
    from .page import Page

__all__ = ["in_form", "refuse_bool", "remark_forms", "settle"]

_Form = tuple[str, ...]
# By dtype what came of a call: right, wrong, or unfit, with what was found.
_Outcome = dict[torch.dtype, tuple[str, Finding | None]]


def settle(one: Examination) -> bool:
    """Give masks from now on in the dtypes that it takes, and in the shapes, if it may choose.

    Returned is whether a mask that cannot be left out is taken in some dtypes and not in others.

    Its kata's own shapes stay where one of them is right, wrong ones too; else the first other
    that is right takes their place.
    """
    mask = one.function.mask
    case = next(small(one.function, one.sizes, mask=True), None)
    if mask is None or case is None:
        return False
    if not mask.adapted:
        return _dtypes(one, _outcomes(one, mask, [mask.shapes])[mask.shapes])
    own = [(form,) for form in mask.shapes]
    seen = _outcomes(one, mask, own)
    good = [form for form in own if _any(seen[form], "right")]
    if not good:
        others = [(form,) for form in mask.adapted]
        seen |= _outcomes(one, mask, others)
        good = [form for form in others if _any(seen[form], "right")]
        if good and not any({*own[0][0]} <= {*form} for (form,) in good) and _misread(one, mask):
            _take(one, mask, mask.shapes)
            return _dtypes(one, seen[own[0]])
        good = good[:1]
    ran = [form for form in seen if _any(seen[form], "wrong")]
    kept = [*good, *(form for form in own if good and form in ran and form not in good)]
    kept = kept or [form for form in own if form in ran] or ran[:1] or own[:1]
    one.found.forms = tuple(form for (form,) in own if good and (form,) not in kept)
    forms = tuple(form for (form,) in kept)
    _take(one, mask, forms)
    return _dtypes(one, seen[kept[0]])


def _misread(one: Examination, mask: Argument) -> bool:
    """Whether the kata's own mask is taken for another's where there are as many samples as heads.

    Code that takes a mask of fewer axes alone, and refuses its own, is told so; what lays one
    sample's mask on a head where the numbers happen to agree is wrong.
    """
    symbols = one.sizes.symbols
    if not {"batch", "heads"} <= symbols.keys():
        return False
    first = one.sizes.first()
    sizes = one.sizes.row({**first, symbols["batch"]: first[symbols["heads"]]})
    _take(one, mask, mask.shapes)
    case = next(small(one.function, one.sizes, mask=True))
    one.mask_dtypes = [torch.bool]
    trial = one.trial(replace(case, sizes=sizes))
    return _kind(trial.judge(one.run([trial])[0])) == "wrong"


def _any(outcome: _Outcome, kind: str) -> bool:
    return any(found == kind for found, _ in outcome.values())


def _outcomes(
    one: Examination, mask: Argument, many: Sequence[tuple[_Form, ...]]
) -> dict[tuple[_Form, ...], _Outcome]:
    """Make masked calls, in float32 from now on where that alone makes one right.

    `torch.where` makes a float32 tensor of two numbers, which float64's lowest does not fit into.
    """
    wide = _tried(one, mask, many)
    faults = (finding for outcome in wide.values() for _, finding in outcome.values())
    refused = next((f.fault for f in faults if f and by_dtype(f)), None)
    if one.found.work is not torch.float64 or refused is None:
        return wide
    one.found.work = torch.float32
    narrow = _tried(one, mask, many)
    if _right(narrow) - _right(wide):
        one.found.refused = refused
        return narrow
    one.found.work = torch.float64
    return wide


def _right(seen: dict[tuple[_Form, ...], _Outcome]) -> set[tuple[tuple[_Form, ...], torch.dtype]]:
    """In which shapes and dtypes a mask is taken rightly."""
    return {
        (forms, dtype) for forms, outcome in seen.items()
        for dtype, (kind, _) in outcome.items() if kind == "right"
    }  # fmt: skip


def _tried(
    one: Examination, mask: Argument, many: Iterable[tuple[_Form, ...]]
) -> dict[tuple[_Form, ...], _Outcome]:
    """Make one masked call in each group of shapes and each dtype."""
    found: dict[tuple[_Form, ...], _Outcome] = {}
    dtypes = MASK_DTYPES[:1] if one.convention == "additive" else MASK_DTYPES
    for forms in many:
        _take(one, mask, forms)
        first = one.trial(next(small(one.function, one.sizes, mask=True)))
        trials = {dtype: replace(first) for dtype in dtypes}
        for dtype, trial in trials.items():
            one.mask_dtypes = [dtype]
            one.write(trial)
        answers = one.run([*trials.values()])
        findings = [
            trial.judge(answer) for trial, answer in zip(trials.values(), answers, strict=True)
        ]
        found[forms] = {
            dtype: (_kind(finding), finding)
            for dtype, finding in zip(dtypes, findings, strict=True)
        }
    return found


def _kind(finding: Finding | None) -> str:
    if finding is None:
        return "right"
    return "unfit" if finding.kind in {"raised", "shape"} else "wrong"


def _take(one: Examination, mask: Argument, forms: Sequence[_Form]) -> None:
    """Give masks in some shapes, and the model answer as it takes them."""
    other = mask if tuple(forms) == mask.shapes else in_form(mask, forms)
    arguments = (other if each.name == mask.name else each for each in one.function.arguments)
    one.function = replace(one.function, arguments=tuple(arguments))


def in_form(mask: Argument, forms: Sequence[_Form]) -> Argument:
    """The argument, taken in some shapes, beside those in which the model answer takes it."""
    # The first of the others begins with the samples.
    axes, batch = len(mask.shapes[0]), mask.adapted[0][0]
    shapes = tuple(_for_the_answer(form, axes, batch) for form in forms)
    return replace(mask, shapes=shapes, taken=tuple(forms))


def _for_the_answer(form: _Form, axes: int, batch: str) -> _Form:
    """The shape with as many axes as the model answer takes: axes of one more, or less."""
    if len(form) > axes:
        return (*form[:1], *form[1 + len(form) - axes :])
    ones = ("1",) * (axes - len(form))
    return (*form[:1], *ones, *form[1:]) if form[0] == batch else (*ones, *form)


def _dtypes(one: Examination, outcome: _Outcome) -> bool:
    if one.convention == "additive":
        one.mask_dtypes = [torch.int64]
        return False
    fails = {
        dtype: finding for dtype, (_, finding) in outcome.items()
        if finding is not None and finding.kind == "raised"
    }  # fmt: skip
    works = [dtype for dtype in outcome if dtype not in fails]
    one.mask_dtypes = works or [torch.int64]
    one.found.dropped = fails if works else {}
    return bool(one.found.dropped) and one.function.needs_mask


def refuse_bool(page: Page, one: Examination) -> None:
    """Fail what raises for a bool mask; for masks of another dtype it earns a remark."""
    finding = one.found.dropped.get(torch.bool)
    if finding is None or finding.fault is None:
        return
    case = say("direct-mask-of", dtype=dtype_name(torch.bool))
    page.fail(one, "mask", raised(finding.fault, case))
    page.crashed("mask", finding.fault, case)
    dtypes = [dtype_name(dtype) for dtype in one.found.dropped]
    page.blame("mask-dtype", finding.fault.line, dtypes=dtypes)


def remark_forms(sheet: Sheet, one: Examination, mask: Argument) -> None:
    """Remark on the shapes that are taken where they are not all that the kata asks for."""
    asked, found = mask.taken or mask.shapes, one.found.forms
    wanted = [*found, *(form for form in asked if form not in mask.adapted)]
    name = one.bound.named.get(mask.name, mask.name) if one.bound else mask.name
    sheet.remark(
        "mask-form", sheet.lines.naming(name),
        forms=" ".join(map(shape_name, asked)), wanted=" ".join(map(shape_name, wanted)),
        dtypes=", ".join(map(dtype_name, one.mask_dtypes)),
    )  # fmt: skip
