"""A small edit of the submission that makes what went wrong right, and so proves the line.

Where a mistake was named, its line is a reading of the trace. Edits of what has a part in that line
are tried, the smallest and nearest first: one that makes the calls that went wrong right, and
leaves the others as they were, shows where it is made and how the line would be right.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice

from ...kata.slips import slips
from ..diagnose.as_expected import lines_as_expected
from ..diagnose.edits.small_edits import UNREAD, SmallEdit, small_edits
from ..diagnose.flow import Flow
from ..process.handle import Ended, Foul
from ..report.report import Diagnosis, Mended, Report
from .examine import Examination
from .likely import PART, SECONDS, UNTOLD_SECONDS, Back, allow, likely, provable
from .page import Page
from .retried import Edited, fine_calls, passing, sample, wrong_calls
from .source import Source
from .written import function_at

__all__ = ["BACKWARD_WRONG", "is_idle", "prove", "tell"]

# Mistakes that are told by the sizes that go wrong, and one that is told by samples alone.
_OF_SIZES, _MIXED = {"length-fixed", "batch-fixed"}, "batch-mixed"
# And one that is told by what is right without it.
BACKWARD_WRONG = "backward-wrong"
_BOTH = {"True", "False"}
# What it costs to put another number or sign in the place of one.
_SIGNS = {0, 1}
# Calls that cut along an axis.
_CUT = re.compile(r"\b(split|chunk|tensor_split|unbind)\(")
# How many rows are shown of an edit, and of how many it is moved across others.
_ROWS, _FAR = 4, 3
# The file as it is, run anew.
_NOTHING = SmallEdit(1, 0, 0, "", 0)


def prove(
    page: Page, all_of: Sequence[Examination], source: Source, flow: Flow | None
) -> SmallEdit | None:
    """Bring the mistakes that were named to the line that one edit mends; what has no name, too.

    flow: a call that goes wrong. Return that edit.

    Nothing else is asked of the submission's process any more.
    """
    wrong = [one for one in all_of if one.found.findings]
    if not wrong or not provable(wrong[0], source):
        return None
    if "parameters" in page.wrong.get(wrong[0].function.name, {}):
        # Beside weights that are not there, what is expected is no right answer.
        return None
    named = _explained(wrong[0], page.report.diagnosis)
    begun = _begun(wrong[0], page.report, named, source, flow)
    if not begun or (page.report.diagnosis and not named):
        return None
    # What ends it, or what it reaches for, is no finding.
    with suppress(Ended, Foul):
        allow(wrong[0].candidate, SECONDS if named else UNTOLD_SECONDS)
        fine = set[int]() if named or flow is None else lines_as_expected(flow)
        edits = likely(wrong[0], source, begun, _back(wrong[0], named), fine)
        edit = _mending(wrong, all_of, source, edits)
        # A number that is put beside a name may take two mistakes back at once.
        many = len({each.mistake for each in named}) > 1
        if edit is not None and not (many and edit.renumbered()):
            tell(edit, source, page.report, named, begun[0])
            return edit
    return None


def tell(
    edit: SmallEdit, source: Source, report: Report, named: Sequence[Diagnosis], line: int
) -> None:
    """Bring what is named, or the report, to an edit's line, and show that as it would be right.

    named: the mistakes of which it is the cause. The first is told of, there. line: where it was.
    """
    edit = edit.tidied(source.text)
    lines = edit.lines(source.text)
    whole = edit.applied(source.text).split("\n")[lines.start - 1 : lines.stop - 1]
    rows = [row.strip() for row in whole if row.strip()]
    # Beside another statement, what was said of one is not true.
    rows = [*map(_uncommented, rows)] if len(rows) > 1 else rows
    # Nobody writes a branch that is always taken.
    plain = edit.new not in _BOTH or source.text[edit.start : edit.end] in _BOTH
    shown = "\n".join(rows) if plain and len(rows) <= _ROWS else None
    shown = "" if is_idle(edit.applied(source.text), edit.line) else shown
    # Where its indent is all that changes, that is what is shown.
    shown = whole[0].rstrip() if edit.indents(source.text) else shown
    # What is moved across several is meant itself.
    wanted = (line, edit.line) if len(lines) < _FAR else (edit.line, line)
    meant = next((one for one in wanted if one in lines), lines.start)
    yours = source.line(meant).strip()
    if named:
        named[0].line, named[0].yours, named[0].mended = meant, yours, shown
        beside = {id(each) for each in named[1:]}
        report.diagnosis = [each for each in report.diagnosis if id(each) not in beside]
    else:
        report.mended = Mended(line=meant, yours=yours, mended=shown)


def _uncommented(row: str) -> str:
    """A row without its comment."""
    with suppress(*UNREAD, tokenize.TokenError):
        for token in tokenize.generate_tokens(io.StringIO(row).readline):
            if token.type == tokenize.COMMENT:
                return row[: token.start[1]].rstrip()
    return row


def is_idle(text: str, line: int) -> bool:
    """Whether what stands on a line does nothing: it binds a name to itself, or only names it."""
    with suppress(*UNREAD):
        for node in ast.walk(ast.parse(text)):
            match node:
                case ast.Assign(targets=[target], value=value) if node.lineno == line:
                    return ast.unparse(target) == ast.unparse(value)
                case ast.Pass() | ast.Expr(value=ast.Name() | ast.Attribute()):
                    if node.lineno == line:
                        return True
                case _:
                    continue
    return False


def _begun(
    one: Examination, report: Report, named: Sequence[Diagnosis], source: Source, flow: Flow | None
) -> list[int]:
    """The lines behind which edits are looked for: where it shows, or the function's last.

    Of what has no name, behind both.
    """
    # What autograd is told by hand is reached by no name from what is called.
    by_hand = _backwards(source) if {*one.found.findings} == {"gradients"} else []
    if by_hand:
        return by_hand
    own = function_at(source, one.entry.line)
    last = [] if own is None else [own.body[-1].lineno]
    # Where it seems to part is a guess, and good enough to begin with.
    seems = flow.line if report.departure is not None and flow is not None else None
    shown = (*(each.line for each in named[:1]), report.crash and report.crash.line, seems)
    told = [line for line in shown if line is not None]
    sized = any(each.mistake in _OF_SIZES for each in named[:1])
    begun = [*last, *told] if sized else [*told[:1], *last]
    return begun[:1] if named else begun


def _backwards(source: Source) -> list[int]:
    """The lines on which the backward passes end that a file writes by hand."""
    methods = (each for one in source.classes.values() for each in one.body)
    return [
        each.body[-1].lineno for each in methods
        if isinstance(each, ast.FunctionDef) and each.name == "backward"
    ]  # fmt: skip


def _explained(one: Examination, told: Sequence[Diagnosis]) -> list[Diagnosis]:
    """Those mistakes of which one edit may be the cause: the model answer's, and sizes."""
    known = {*_OF_SIZES, _MIXED, BACKWARD_WRONG, *(slip.id for slip in slips(one.kata.folder))}
    return [each for each in told if each.mistake in known]


def _back(one: Examination, named: Sequence[Diagnosis]) -> Back:
    """What brings the model answer's mistakes back that were named."""
    ids = {each.mistake for each in named}
    known = (slip for slip in slips(one.kata.folder) if slip.id in ids)
    return [(wrong, right) for slip in known for edit in slip.edits for right, wrong in edit]


def _mending(
    wrong: Sequence[Examination], all_of: Sequence[Examination], source: Source,
    edits: Iterator[Edited],
) -> SmallEdit | None:  # fmt: skip
    """The first of some edits with which all is right. Raise Ended, Foul."""
    candidate = wrong[0].candidate
    first, *more = [wrong_calls(one) for one in wrong]
    others = [unit for units in (first[1:], *more) for unit in sample(units)]
    fine = [unit for one in all_of for unit in sample(fine_calls(one))]
    proofs = [*others, *fine]
    if not first or passing(first[:1], [(_NOTHING, f"{source.text}\n")], candidate):
        # What went wrong by what was called before goes right where the file is run anew.
        return None
    while part := [*islice(edits, PART)]:
        # Another number may do for the calls that were tried alone.
        for found in sorted(passing(first[:1], part, candidate), key=_numbers):
            if passing(proofs, [found], candidate):
                beside = passing([*first[:1], *proofs], _beside(found[0], source), candidate)
                # An axis has two numbers. Where any is as good, what is done by it is left undone;
                # along one that is short nothing is cut.
                cut = _CUT.search(found[0].new)
                if len(beside) < (2 if found[0].cost in _SIGNS and not cut else 1):
                    return found[0]
    return None


def _numbers(tried: Edited) -> bool:
    """Whether an edit puts a number."""
    return tried[0].new.strip("(-)").isdigit()


def _beside(edit: SmallEdit, source: Source) -> list[Edited]:
    """The other numbers or signs that may stand where an edit puts one."""
    near = _SIGNS | ({edit.cost} if _CUT.search(edit.new) else set())
    others = small_edits(source.tree, source.text) if edit.cost in near else ()
    found = [each for each in others if each.cost in near and edit.beside(each)]
    number = edit.renumbered()
    found += [number] if number is not None else []
    return [(each, each.applied(source.text)) for each in found]
