"""Mistakes that speak for themselves: by which cases fail, by what was raised, by the source.

They change no formula that an edited reference could show, or only for some inputs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from ....kata.catalogue import Kata
from ...judge.classes.examine import Examination, Outcome
from ...judge.source import Source
from ..limits import Sized, limit_line
from ..lines import assignment

__all__ = ["by_words", "crash", "cut_line", "patterns", "state_line"]

_Clue = tuple[str, int | None]

_CUT = ("detach", "detach_", "no_grad", "data", "set_grad_enabled", "inference_mode", "item",
        "tolist", "numpy", "requires_grad_")  # fmt: skip
_RANDOM = ("rand", "randn", "rand_like", "randn_like", "bernoulli", "normal", "randperm", "randint",
           "multinomial", "uniform_", "random")  # fmt: skip


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
) -> Iterator[_Clue]:
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
    made = _made_in_forward(tree)
    if not examination.fitted.aligned and made is not None:
        yield "parameters-not-registered", made
    cut = cut_line(tree)
    if cut is not None and (examination.findings.get("gradients") or _no_slope(examination)):
        yield "detached", cut
    yield from _by_size(examination.outcomes, tree, _call_line(tree, ("squeeze", "squeeze_")))
    if set(examination.findings) <= {"stability", "dtypes"} and examination.findings.get(
        "stability"
    ):
        exps = [s["line"] for s in steps if s["call"] in {"exp", "exp_"}]
        yield "softmax-unstable", next(iter(exps), None) or _call_line(tree, ("softmax",))


def state_line(source: Source, class_name: str) -> int | None:
    """The line of forward that keeps something on self, or that draws random numbers."""
    tree = source.classes.get(class_name)
    for function in _forwards(tree):
        for node in ast.walk(function):
            if isinstance(node, (ast.Assign, ast.AugAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    if isinstance(target, ast.Attribute) and _is_self(target.value):
                        return node.lineno
    return _call_line(tree, _RANDOM)


def _no_slope(examination: Examination) -> bool:
    trouble = examination.fitted.trouble
    return not examination.fitted.aligned and trouble is not None


def _by_size(
    outcomes: list[Outcome], tree: ast.AST | None, squeezed: int | None
) -> Iterator[_Clue]:
    plain = [o for o in outcomes if o.check in {"values", "lengths"} and not o.train]
    masked = [o for o in outcomes if o.check == "mask" and not o.train]
    for rows, own in ((plain, True), (masked, False)):
        bad = [o for o in rows if o.kind]
        good = [o for o in rows if not o.kind]
        if not bad or not good:
            continue
        raised = {o.kind for o in bad} <= {"raised", "shape"}
        line = next((o.line for o in bad if o.line is not None), None)
        alone = [o for o in bad if o.batch == 1]
        if raised and alone and all(o.batch == 1 or o.queries == 1 for o in bad):
            # An axis of one was taken away.
            yield "batch-fixed", squeezed or line
        elif all(o.batch > 1 for o in bad) and all(o.batch == 1 or o.queries == 1 for o in good):
            yield ("batch-fixed" if raised else "batch-mixed"), line
        elif all(o.batch == 1 for o in bad) and all(o.batch > 1 for o in good):
            yield "batch-fixed", line
        elif own and (raised or min(o.queries for o in bad) > max(o.queries for o in good) > 1):
            sized = [Sized(batch=o.batch, length=o.queries, kind=o.kind, line=o.line) for o in rows]
            yield "length-fixed", limit_line(tree or ast.Pass(), sized)


def _forwards(tree: ast.AST | None) -> list[ast.FunctionDef]:
    nodes = ast.walk(tree) if tree is not None else []
    return [n for n in nodes if isinstance(n, ast.FunctionDef) and n.name != "__init__"]


def _is_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def cut_line(tree: ast.AST | None) -> int | None:
    """The line of a class at which a gradient may be cut off."""
    for function in _forwards(tree):
        for decorator in function.decorator_list:
            if any(isinstance(n, ast.Attribute) and n.attr in _CUT for n in ast.walk(decorator)):
                return decorator.lineno
        for node in ast.walk(function):
            if isinstance(node, ast.Attribute) and node.attr in _CUT:
                return node.lineno
    return _call_line(tree, ("set_grad_enabled",))


def _call_line(tree: ast.AST | None, names: tuple[str, ...]) -> int | None:
    for name in names:
        for node in ast.walk(tree) if tree is not None else []:
            if isinstance(node, ast.Call):
                called = node.func
                own = (
                    called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
                )
                if own == name:
                    return node.lineno
    return None


def _made_in_forward(tree: ast.AST | None) -> int | None:
    """A layer or parameter that forward makes afresh at every call."""
    for function in _forwards(tree):
        if function.name in {"forward", "__call__"}:
            line = _call_line(function, ("Linear", "Parameter", "randn", "rand"))
            if line is not None:
                return line
    return None
