"""Where no edit fits a function: what the failing cases and the source give away."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Container, Sequence
from dataclasses import replace

import torch

from ...kata.slips import slips
from ..diagnose.allocated import like_query
from ..diagnose.asked import loop_over, regrown
from ..diagnose.clues import by_size, mixed
from ..diagnose.crashes import overwritten
from ..diagnose.giveaways import (
    call_line,
    cut_around,
    cut_line,
    made_in_forward,
    recast_line,
    state_line,
)
from ..diagnose.kinds import first, rounds_far
from ..diagnose.limits import Sized, fixed_size, limit_line
from ..diagnose.lines import assignment, overwriting
from ..diagnose.mixing import number_line
from ..diagnose.parting import Branch
from ..diagnose.pointing import LOW_PRECISION
from ..process.wire import dtype_name
from ..report.message import say
from .branches import wrong_branch
from .cuts import cut_at
from .examine import Examination
from .fills import narrowed
from .page import Page
from .precision import away_from_zero
from .rewritten import mixes_turns
from .sized import sized_calls
from .trials import Finding
from .weighing import Weighing
from .written import function_at

__all__ = ["beside_device", "guess"]

# Where a dtype is written down.
_DTYPES = re.compile(r"float|half|double|dtype|\bint\b|long")
_VALUES = ("values", "mask", "lengths")
_HALVES = {"bfloat16", "float16"}
# In units of the output's scale: some roundings of bfloat16, whose unit is 0.004.
_HALF_OFF = 0.1
_UNSTABLE = "softmax-unstable"
_DIFFERENCES = {"sub", "isub", "rsub", "subtract", "addcmul"}


def guess(page: Page, one: Examination) -> None:
    """Blame what is told by gradients, by dtypes, or by the sizes that fail: the first that is."""
    sized = sized_calls(one)
    fixed = fixed_size(sized)
    if fixed is not None:
        # What is right up to some size.
        line = limit_line(page.source.tree, sized)
        # What only gives other numbers may be a window, which no shape would tell.
        seen = line is not None and any(one.kind in {"raised", "shape"} for one in sized)
        short = fixed == "length-fixed" and not seen
        line = (_piecewise(page, one) if short else None) or line
        # Their size is right by itself: a loop over pieces goes wrong from the second, and what is
        # kept where it is made longer.
        tree = page.source.tree
        line = ((loop_over(tree, line) or regrown(tree, line)) if short else None) or line
        page.blame(fixed, line, "right-when-short" if short else fixed)
        return
    looks = (mixes_turns, _allocated, _shortcut, _strided, _layers, _gradients, _rounded, _dtypes,
             _far, _overflow, _cancelled)  # fmt: skip
    for look in looks:
        if look(page, one):
            return
    _sizes(page, one, sized)


def beside_device(page: Page, one: Examination) -> None:
    """Blame the dtype, too, of a tensor that is made without a device."""
    told = page.report.diagnosis
    lines = {each.line for each in told if each.mistake == "device-hardcoded"}
    if lines and {each.line for each in told} == lines:
        _dtypes(page, one, lines)


def _shortcut(page: Page, one: Examination) -> bool:
    """A branch that all that goes wrong takes, or skips, and nothing else does."""
    branch = wrong_branch(one, page.source.tree)
    if branch is not None:
        key = "" if branch.kind == "returns" else f"branch-{branch.kind}"
        line = _loop_in(page, branch) if branch.kind == "runs" else branch.line
        page.blame("shortcut-wrong", line, key, test=branch.test)
    return branch is not None


def _piecewise(page: Page, one: Examination) -> int | None:
    """The loop over pieces that long inputs alone come to, or where their own way begins."""
    branch = wrong_branch(one, page.source.tree)
    return None if branch is None or branch.kind != "runs" else _loop_in(page, branch)


def _loop_in(page: Page, branch: Branch) -> int:
    """The first loop of a branch, else its own line."""
    loops = (node for node in ast.walk(page.source.tree) if isinstance(node, ast.For | ast.While))
    return min((one.lineno for one in loops if one.lineno in branch.lines), default=branch.line)


def _allocated(page: Page, one: Examination) -> bool:
    """A tensor for what the values are summed to that is made as large as the query."""
    raising = (f for many in one.found.findings.values() for f in many if f.fault is not None)
    lines = (like_query(page.places, one.function, f.trial.case, f.fault) for f in raising)
    line = next(filter(None, lines), None)
    if line is not None:
        page.blame("output-like-query", line)
    return line is not None


def _strided(page: Page, one: Examination) -> bool:
    """Strides that are a contiguous tensor's: of those that are none alone the values are wrong."""
    names = ("as_strided", "as_strided_")
    line = call_line(_own(page, one), names) or call_line(page.source.tree, names)
    found = one.found.findings.get("values", [])
    if line is None or not found or not all(each.trial.case.lies for each in found):
        return False
    trial = found[0].trial
    plain = one.trial_of(replace(trial.case, lies=""), trial.given, one.found.work)
    told = plain.judge(one.run([plain])[0]) is None
    if told:
        page.blame("strides-from-sizes", line)
    return told


def _layers(page: Page, one: Examination) -> bool:
    """Layers that are too few, or that no optimiser would find, in a class of attention."""
    if not isinstance(one, Weighing) or one.held.aligned or one.kata.promised is None:
        return False
    own, sizes = _own(page, one), one.sizes.first()
    depth, width = sizes.get("D"), sizes["E"]
    small = [n for n, shape in one.held.first.items() if len(shape) == 2 and shape[-1] == depth]
    if small and depth != width:
        page.blame("heads-share-projection", assignment(own, small[0].split(".")[0]))
        return True
    made = made_in_forward(own) if isinstance(own, ast.ClassDef) else None
    if made is not None:
        page.blame("parameters-not-registered", made, names=say("its-weights"))
    return made is not None


def _overflow(page: Page, one: Examination) -> bool:
    """Large scores alone go wrong, or lower precision besides: exp is taken of them as they are."""
    wrong = {check for check, many in one.found.findings.items() if many}
    if "stability" not in wrong or not wrong <= {"stability", "dtypes"}:
        return False
    outs = (f.actual for f in one.found.findings["stability"] if f.actual is not None)
    if all(bool(torch.isfinite(out).all()) for out in outs):
        return False
    steps = (s for trial in one.seen for s in trial.answer.steps)
    exps = (s.line for s in steps if s.call.strip("_") in {"exp", "exp2"})
    line = next(exps, None) or call_line(_own(page, one), ("softmax",))
    if line is None:
        return False
    many = slips(one.kata.folder)
    own = [slip.id for slip in many if slip.group == "overflow"]
    if own and not any(slip.id == _UNSTABLE for slip in many):
        # No softmax here: what the kata itself calls it.
        page.blame(own[0], line, "slip", kata=one.kata.id, id=own[0])
    else:
        page.blame(_UNSTABLE, line)
    return True


def _cancelled(page: Page, one: Examination) -> bool:
    """Values far from 0 alone go wrong: their squares are made, and one taken from the other."""
    found = [f for many in one.found.findings.values() for f in many]
    far = away_from_zero(one)
    if far <= 0 or not all(f.trial.case.far for f in found):
        return False
    steps = iter(one.again(found[0].trial).answer.steps)
    large = any(any(bool((v.abs() > far**2 / 2).any()) for v in s.values) for s in steps)
    step = next((s for s in steps if s.call.strip("_") in _DIFFERENCES), None)
    if large and step is not None:
        page.blame("variance-cancels", page.places.own_line(step.lines, page.names))
    return large


def _gradients(page: Page, one: Examination) -> bool:
    return any(_gradient(page, one, each) for each in one.found.findings.get("gradients", []))


def _gradient(page: Page, one: Examination, finding: Finding) -> bool:
    finite = finding.gap is None or math.isfinite(finding.gap.worst)
    proved = cut_at(one, finding.trial) if finding.kind == "detached" or finite else None
    if proved is not None:
        lines, alone = proved
        key = "detached" if finding.kind == "detached" else "detached-in-part"
        elsewhere = None if alone else cut_line(_own(page, one)) or cut_line(page.source.tree)
        line = elsewhere or page.places.own_line(lines, page.names - {one.function.name})
        line = cut_around(page.source.tree, line, alone=alone) or line
        page.blame("detached", line, key, name=f"`{finding.name}`" if finding.name else say("it"))
        return True
    cut = cut_line(_own(page, one))
    if finding.kind == "detached" or (finding.kind == "gradient" and finite and cut is not None):
        # What the file turns off as a whole stands outside of the class.
        cut = cut or cut_line(page.source.tree)
        cut = cut or recast_line(page.source.tree, finding.name or "")
        name = f"`{finding.name}`" if finding.name else say("it")
        page.blame("detached", cut, name=name)
        return True
    if finding.kind == "gradient" and not finite:
        steps = one.again(finding.trial).answer.steps
        others = page.names - {one.function.name}
        for key, arises in (("gradient-nan", torch.isnan), ("gradient-overflow", torch.isposinf)):
            step = next((s for s in steps if any(bool(arises(v).any()) for v in s.values)), None)
            if step is not None:
                page.blame("gradient-nan", page.places.own_line(step.lines, others), key)
                return True
    changed = overwritten(finding.fault) if finding.fault is not None else None
    if changed is not None:
        step = overwriting(one.again(finding.trial).answer.steps, *changed)
        # A layer that works in place is told to where it is made.
        made = page.places.layer(step.lines, "inplace") if step and step.lines else None
        page.blame("overwritten-in-place", made or (step and step.line))
    return changed is not None


def _rounded(page: Page, one: Examination) -> bool:
    """What goes through half precision whatever is given, and is off by no more than that makes."""
    found = one.found.findings.get("values", [])
    if not found or not all(each.gap and each.gap.worst <= _HALF_OFF for each in found):
        return False
    # Of several calls after one another the first were seen.
    trials = one.seen if found[0].trial.group else [one.again(found[0].trial)]
    steps = [each for trial in trials for each in trial.answer.steps]
    step = next((each for each in steps if each.dtype in _HALVES and each.lines), None)
    if step is not None:
        line = page.places.own_line(step.lines, page.names - {one.function.name})
        page.blame("dtype-hardcoded", line, "dtype-rounded", dtype=step.dtype)
    return step is not None


def _dtypes(page: Page, one: Examination, lines: Container[int | None] = ()) -> bool:
    """What raises in a dtype alone. lines: those that it may be on, any where there is none."""
    for finding in one.found.findings.get("dtypes", []):
        fault = finding.fault
        # What far positions raise, such as a table that ends before them, is no dtype's doing,
        # nor is what is raised in float64 as well.
        elsewhere = fault is not None and fault.line in _raised_lines(one)
        if fault is not None and not finding.trial.case.far and not elsewhere:
            dtype = dtype_name(finding.trial.dtype)
            reason = fault.message.split("\n")[0]
            others = page.names - {one.function.name}
            made = narrowed(one, finding.trial)
            line = page.places.own_line(made, others) if made else fault.line
            if not lines or line in lines:
                fixed = _DTYPES.search(page.source.line(line)) if line else None
                key = "dtype-hardcoded" if fixed else "dtype-mixed"
                page.blame("dtype-hardcoded", line, key, dtype=dtype, reason=reason)
                return True
    return False


def _far(page: Page, one: Examination) -> bool:
    """Places or angles that half precision does not hold, where far positions alone go wrong."""
    found = one.found.findings
    known = (slip.id for slip in slips(one.kata.folder) if slip.id.endswith(LOW_PRECISION))
    mistake = next(known, None)
    off = [each.trial for each in found.get("dtypes", []) if each.kind == "values"]
    if mistake is None or {*found} != {"dtypes"} or not off or not all(t.case.far for t in off):
        return False
    step = first(one.again(off[0]).answer.steps, rounds_far)
    if step is not None:
        line = page.places.own_line(step.lines, page.names - {one.function.name})
        page.blame(mistake, line, "slip", kata=one.kata.id, id=mistake)
    return step is not None


def _sizes(page: Page, one: Examination, sized: Sequence[Sized]) -> None:
    """Blame samples that reach into each other, and batches or lengths that alone fail."""
    if not any(one.found.findings.get(check) for check in _VALUES):
        return
    own = _own(page, one)
    squeezed = call_line(own, ("squeeze", "squeeze_"))
    clues = [
        by_size([call for call in sized if call.masked is masked], own, squeezed, own=not masked)
        for masked in (False, True)
    ]
    # Where only batches fail, it takes two of them to say that their samples mix.
    told = (clue for clue in clues if clue and clue.mistake != "batch-mixed")
    found = next(told, None) or mixed(one)
    if found is not None and found.mistake == "nondeterministic":
        found = found._replace(line=state_line(page.source, one.entry.name) or one.entry.line)
    elif found is not None and found.line is None and found.mistake == "batch-mixed":
        found = found._replace(line=number_line(own))
    if found is not None:
        page.blame(*found)


def _raised_lines(one: Examination) -> set[int | None]:
    """The lines that raise on the CPU in the dtype that values are decided in."""
    many = [f for check, group in one.found.findings.items() if check != "dtypes" for f in group]
    return {f.fault.line for f in (*many, *one.found.dropped.values()) if f.fault is not None}


def _own(page: Page, one: Examination) -> ast.AST:
    """The source of the class, else of the function, that is examined."""
    own = page.source.classes.get(one.entry.name)
    return own or function_at(page.source, one.entry.line) or page.source.tree
