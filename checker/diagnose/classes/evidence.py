"""Mistakes that speak for themselves: by which cases fail, by what was raised, by the source.

They change no formula that an edited reference could show, or only for some inputs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ....kata.catalogue import Kata
from ...judge.classes.examine import Examination, Outcome
from ...judge.source import Source
from ..clues import Clue, by_size
from ..giveaways import call_line, cut_line, made_in_forward
from ..limits import Sized
from ..lines import assignment

__all__ = ["by_words", "crash", "patterns"]


# What torch says to code that wants a GPU where there is none, or to be found.
_NO_SUCH_DEVICE = ("not compiled with CUDA", "Found no NVIDIA driver", "No CUDA GPUs are available",
                   "found at least two devices", "to be on the same device",
                   "no CUDA-capable device")  # fmt: skip


def by_words(fault: dict[str, Any]) -> str | None:
    """Name the mistake behind an exception, where its words alone tell it."""
    text = fault["message"]
    if "view size is not compatible" in text:
        return "view-needs-contiguous"
    if any(words in text for words in _NO_SUCH_DEVICE):
        return "device-hardcoded"
    return None


def crash(fault: dict[str, Any], kata: Kata) -> str | None:
    """Name the mistake behind an exception on a first plain input, where the cause is known."""
    known = by_words(fault)
    if known is not None:
        return known
    text = fault["message"]
    invalid = re.search(r"shape '\[(-?\d+), (-?\d+)[^']*' is invalid for input of size", text)
    if invalid:
        if int(invalid[1]) not in (2, -1):
            return "batch-fixed"
        if kata.contract.source == "cross":
            return "key-viewed-by-query-length"
        return "length-fixed" if int(invalid[2]) not in (5, -1) else None
    if kata.contract.causal and re.search(r"size of tensor \w+ \((64|16|5)\) must match", text):
        return "causal-not-sliced"
    if "scalar type" in text or "same dtype" in text:
        return "dtype-hardcoded"
    return None


def patterns(
    examination: Examination, source: Source, class_name: str, steps: list[dict[str, Any]]
) -> Iterator[Clue]:
    """Yield mistakes that the pattern of failing cases or the source itself gives away."""
    tree = source.classes.get(class_name)
    shapes = examination.fitted.shapes(examination.fitted.base)
    depth, width = examination.fitted.base.head_dim, examination.fitted.base.hidden
    small = [n for n, s in shapes.items() if len(s) == 2 and s[-1] == depth != width]
    if not examination.fitted.aligned and small:
        yield "heads-share-projection", assignment(tree, small[0].split(".")[0])
    plain = examination.fitted.shown.get("plain", [])
    if not examination.fitted.aligned and plain:
        yield "parameters-not-registered", assignment(tree, plain[0])
    made = made_in_forward(tree)
    if not examination.fitted.aligned and made is not None:
        yield "parameters-not-registered", made
    cut = cut_line(tree)
    if cut is not None and (examination.findings.get("gradients") or _no_slope(examination)):
        yield "detached", cut
    squeezed = call_line(tree, ("squeeze", "squeeze_"))
    for masked in (False, True):
        sized = _sized(examination.outcomes, masked=masked)
        clue = by_size(sized, tree, squeezed, own=not masked)
        if clue is not None:
            yield clue
    if set(examination.findings) <= {"stability", "dtypes"} and examination.findings.get(
        "stability"
    ):
        exps = [s["line"] for s in steps if s["call"] in {"exp", "exp_"}]
        yield "softmax-unstable", next(iter(exps), None) or call_line(tree, ("softmax",))


def _no_slope(examination: Examination) -> bool:
    trouble = examination.fitted.trouble
    return not examination.fitted.aligned and trouble is not None


def _sized(outcomes: list[Outcome], *, masked: bool) -> list[Sized]:
    """What came of the plain calls, those with a mask or those without."""
    checks = {"mask"} if masked else {"values", "lengths"}
    return [
        Sized(batch=one.batch, length=one.queries, kind=one.kind, line=one.line)
        for one in outcomes
        if one.check in checks and not one.train
    ]
