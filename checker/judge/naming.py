"""The mistakes behind what is wrong with a function or class: which calls are to be explained."""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Sequence
from contextlib import suppress
from dataclasses import replace

from ...kata.arithmetic import worth
from ...kata.slips import Edit
from ..diagnose.diagnose import Named, diagnose
from ..diagnose.edits.names import read_in
from ..diagnose.flow import follow
from ..diagnose.tried import Tried
from . import budget
from .branches import wrong_branch
from .examine import Examination
from .extras import beside_extras
from .page import Page
from .source import Source
from .structure import judge_structure
from .trials import Trial
from .weighing import Weighing
from .written import Function, function_at

__all__ = ["at_home", "calls_for_a_name", "name_mistakes"]

# What is told by which layer makes the queries.
_BY_ROLES = {"query-key-swapped", "weights-transposed"}
# Seconds of processor time for two mistakes in a part of the calls, or beside other readings of the
# weights.
_TWO_OTHERWISE = 2.0
# And for several mistakes, where one edit mends all.
_BESIDE_AN_EDIT = 1.0
_TELLING = ("values", "mask", "causality", "lengths", "stability", "gradients")
# What names the mistakes behind some calls.
_Named = Callable[..., list[Named]]
# Groups of what goes wrong from one piece of an input to the next.
_OF_PIECES = {"loop", "carried", "piece"}
# Where what is greater decides, several mistakes give what one call does.
_BY_ORDER = 8
# How many kinds of calls that are answered right are held against a mistake.
_OTHERS = 12
# The share of the calls that are right which a special way may be harmless to.
_STRAY = 0.34


def calls_for_a_name(page: Page, one: Examination) -> bool:
    """Whether something is wrong that a mistake may explain. What is told without is told."""
    found = one.found.findings
    if not any(found.get(check) for check in (*_TELLING, "dtypes")):
        return False
    if one.found.state == "fail-random" and not page.blames("dropout-in-eval"):
        # Numbers that are others each time are no mistake's.
        return False
    if page.blames("blocks-miscounted"):
        # Nobody knows what the weights of a block are that is not asked for.
        return False
    off = [f.trial.case for many in found.values() for f in many if f.kind != "raised"]
    if one.found.modified and off and all(case.shared for case in off):
        # What is written into one input is read in the others that are the same tensor.
        return False
    page.dtype(one)
    return True


def name_mistakes(
    page: Page, one: Examination, below: tuple[Edit, ...], mended: Callable[[Examination], bool]
) -> list[Named]:
    """Return the mistakes that together give a submission's numbers.

    below: those of functions that this one calls. mended: whether an edit alone makes it right.
    """
    found = one.found.findings
    if all(finding.trial.case.large for many in found.values() for finding in many):
        return _in_pieces(page, one, below)
    if one.found.state == "fail-random" and isinstance(one, Weighing):
        # With dropout silenced the rest is what it is.
        one = one.silenced(quiet=True)
        one.seen = one.recorded([one.trial(trial.case) for trial in one.seen if not trial.group])
        found = {}
        judge_structure(page, one, one.kata.promised)
    wrong = [check for check in _TELLING if found.get(check)]
    low = found.get("dtypes", [])
    evidence: list[Trial] = list(one.seen)
    further: list[Trial] = []
    training = all(f.trial.case.train for check in wrong for f in found[check])
    if training and wrong and isinstance(one, Weighing):
        # What train mode alone shows is explained by what is seen there.
        evidence = one.recorded([one.in_training(trial) for trial in one.seen])
    for check in wrong:
        many = sorted(found[check], key=lambda f: f.trial.weight)
        many = [finding for finding in many if not finding.trial.case.grad]
        evidence += [one.again(finding.trial) for finding in many[:: _stride(one, len(many))]]
        if check == "stability":
            # A few large scores may miss what many show: an overflow, or a row of zeros.
            further += [one.again(finding.trial) for finding in many[1:][-1:]]
        # Of positions in order it does not show whether they are read, or where they begin alone.
        counted = any(argument.kind == "positions" for argument in one.function.arguments)
        mixed = [f for f in many[1:] if counted and f.trial.case.disordered]
        further += [one.again(finding.trial) for finding in mixed[-1:]]
        # Nor of short sequences alone whether an edge is each one's own, or missing.
        full = [finding for finding in many[1:] if _full(finding.trial)]
        further += [one.again(finding.trial) for finding in full[-1:]]
    if not training:
        evidence += [one.again(trial) for trial in _right_beside(one, evidence)]
    off = [finding.trial for finding in low if finding.kind == "values"]
    if off and not wrong:
        evidence.append(one.again(min(off, key=lambda trial: trial.weight)))

    tried = Tried(one.kata, one.function.name)

    def named(
        calls: Sequence[Trial], besides: Sequence[Trial] = (), beside: str | None = None
    ) -> list[Named]:
        places, numbers = page.places, one.numbers
        return diagnose(tried, calls, besides, places, numbers, below=below, beside=beside)

    with suppress(budget.Spent):
        explained = named(evidence, further, "")
        if off and not wrong:
            # What low precision alone shows is one mistake: no second one hides everywhere else.
            return explained
        explained = explained or _part_and_rest(evidence, named)
        if not explained:
            several = _in_a_while if mended(one) else _at_length
            explained = several(page, one, (evidence, further), named)
        if not training and found:
            explained = _sometimes(tried, one, explained)
            if any(each.partly for each in explained):
                explained = _in_branch(page, one, explained)
        if not explained and isinstance(one, Weighing):
            explained = beside_extras(one, page.places, named) or _read_otherwise(one, named)
        return [each for each in explained if not (each.slip.id in _BY_ROLES and _fused(one))]
    return []


def _full(trial: Trial) -> bool:
    """Whether one of the samples is as long as any may be, by a number that each of them has."""
    for argument in trial.function.arguments:
        each = argument.kind == "integers" and argument.shapes == (("B",),)
        given = trial.given.tensors.get(argument.name) if each else None
        if given is not None and bool((given == worth(argument.high, trial.case.scope())).any()):
            return True
    return False


def _in_pieces(page: Page, one: Examination, below: tuple[Edit, ...]) -> list[Named]:
    """What is right at small sizes is no formula's fault, but may be that of a loop over pieces."""
    found = [f.trial for many in one.found.findings.values() for f in many if not f.trial.case.grad]
    lightest = sorted(found, key=lambda trial: trial.weight)[:1]
    evidence = [*one.seen, *map(one.again, lightest)]
    told: list[Named] = []
    with suppress(budget.Spent):
        told = diagnose(Tried(one.kata, one.function.name), evidence if lightest else [], [],
                        page.places, one.numbers, below=below, beside="")  # fmt: skip
    if told or not lightest:
        return told if all(each.slip.group in _OF_PIECES for each in told) else []
    return _on_a_way_of_its_own(page, one, evidence[-1], below)


def _on_a_way_of_its_own(
    page: Page, one: Examination, large: Trial, below: tuple[Edit, ...]
) -> list[Named]:
    """What explains large calls alone, where a branch of their own makes them."""
    branch = wrong_branch(one, page.source.tree)
    if branch is None or branch.kind == "skips":
        return []
    told: list[Named] = []
    with suppress(budget.Spent):
        told = diagnose(Tried(one.kata, one.function.name), [large], [],
                        page.places, one.numbers, below=below, beside="")  # fmt: skip
    return [replace(each, partly=True, line=each.line if each.line in branch.lines else branch.line)
            for each in told]  # fmt: skip


def at_home(
    one: Examination, named: Sequence[Named], told: Container[str],
    all_of: Sequence[Examination], source: Source,
) -> list[Named]:  # fmt: skip
    """The mistakes that are a function's own, and not of others that it calls.

    Whoever calls a function that is wrong gets its mistake with it: it is said once. told: the
    mistakes that were. all_of: every function's examination.
    """
    wrong = {other.function.name for other in all_of if other is not one and other.found.findings}
    own = [
        each for each in named
        if each.slip.id not in told and not _made_in(one.kata.solution(), each) & wrong
    ]  # fmt: skip
    # What is wrong in lower precision alone is not tried in what is noted of a call.
    noted = any(map(one.found.findings.get, _TELLING))
    fine = [other for other in all_of if noted and not other.found.findings]
    right = {line for other in fine for line in _ran(other)}
    return [
        replace(each, line=_from_outside(one, each.line, right))
        if _gives_one(function_at(source, each.line), each.line) else each
        for each in own
    ]  # fmt: skip


def _gives_one(helper: Function | None, line: int | None) -> bool:
    """Whether a helper does one thing, and gives that back, or what a line makes in all parts.

    Of several things, or by a switch, it may do others for who calls it elsewhere.
    """
    if helper is None or helper.args.defaults or helper.args.kw_defaults:
        return False
    given = [node.value for node in ast.walk(helper) if isinstance(node, ast.Return)]
    if len(given) != 1:
        return False
    (value,) = given
    if isinstance(value, ast.Tuple):
        made = _made_of(helper, line)
        return all(made & {one.id for one in read_in(part)} for part in value.elts)
    return not (isinstance(value, ast.Call) and getattr(value.func, "id", "")[:1].isupper())


def _made_of(helper: Function, line: int | None) -> set[str]:
    """The names of what a line of a helper makes, and of what is made of that behind it."""
    found: set[str] = set()
    for node in (one for one in ast.walk(helper) if isinstance(one, ast.Assign)):
        read = {one.id for one in read_in(node.value)}
        if node.lineno == line or (found & read):
            found |= {one.id for target in node.targets for one in ast.walk(target)
                      if isinstance(one, ast.Name)}  # fmt: skip
    return found


def _ran(one: Examination) -> set[int]:
    return {n for trial in one.seen for step in trial.answer.steps for n in step.lines}


def _from_outside(one: Examination, line: int | None, right: set[int]) -> int | None:
    """Who calls a helper that does right for functions that are right, else the line itself."""
    if line is None or line not in right:
        return line
    steps = (step.lines for trial in one.seen for step in trial.answer.steps)
    around = next((lines for lines in steps if line in lines), [line])
    return next((n for n in around[around.index(line) :] if n not in right), line)


def _made_in(source: str, named: Named) -> set[str]:
    """The functions of the model answer that a mistake's edit changes."""
    places = [source[: source.find(before)].count("\n") + 1 for before, _ in named.edit]
    return {
        node.name
        for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)
        if any(node.lineno <= place <= (node.end_lineno or 0) for place in places)
    }  # fmt: skip


def _stride(one: Examination, count: int) -> int:
    """Of how many calls that go wrong alike one is to be explained: the first of all, mostly."""
    ordered = not all(each.ties for each in one.function.arguments)
    return max(1, count // _BY_ORDER if ordered else count)


def _right_beside(one: Examination, evidence: Sequence[Trial]) -> list[Trial]:
    """A call that is answered right, of other sizes than any that is seen: it must stay so."""
    seen = [trial.case.sizes for trial in evidence]
    most = 4 * max((trial.weight for trial in evidence), default=0)
    fine = [t for t in _fine(one) if t.case.sizes not in seen and t.weight <= most]
    # Where an axis has one entry, many mistakes do nothing.
    fine.sort(key=lambda trial: ([*trial.case.sizes.values()].count(1), -trial.weight))
    return fine[:1]


def _fine(one: Examination) -> list[Trial]:
    """The calls of ordinary numbers, each by itself, that are answered right."""
    return [
        trial for trial in one.tried
        if not (trial.missing or trial.group or trial.case.grad or trial.case.large)
        and trial.case.gain == 1 and not trial.wrong
    ]  # fmt: skip


def _sometimes(tried: Tried, one: Examination, explained: Sequence[Named]) -> list[Named]:
    """Mark the mistakes that are not made in every call: one that would show is answered right.

    Where large numbers alone go wrong, none is made that would change the others.
    """
    fine = sorted(_fine(one), key=lambda trial: -trial.weight)
    kinds = {(t.case.mask, t.case.turn, *t.case.chosen.items()): t for t in fine}
    lightest = [*kinds.values()][-_OTHERS:]
    marked = [replace(each, partly=not tried.explains(each.edits, lightest)) for each in explained]
    wrong = [finding.trial.case for many in one.found.findings.values() for finding in many]
    grown = all(case.gain != 1 or case.below for case in wrong)
    others = lightest if grown else []
    return [each for each in marked
            if not (each.partly and any(tried.changes(each.edits, t) for t in others))]  # fmt: skip


def _fused(one: Examination) -> bool:
    """Whether one parameter holds queries and keys: which rows are whose is then no name's."""
    if not isinstance(one, Weighing):
        return False
    query, key = (one.held.holders([layer]) for layer in ("query_proj", "key_proj"))
    return bool(query) and query == key


def _part_and_rest(evidence: list[Trial], named: _Named) -> list[Named]:
    """What explains the calls without a mask, or those that ran, and what is wrong besides.

    The former alone where nothing explains the latter.
    """
    plain = [trial for trial in evidence if trial.case.mask is None]
    ran = [trial for trial in evidence if trial.answer.fault is None]
    for part in (plain, ran):
        alone = named(part, (), "") if 0 < len(part) < len(evidence) else []
        if alone:
            return named(evidence, (), alone[0].slip.id) or alone
    return []


def _in_a_while(
    page: Page, one: Examination, calls: tuple[list[Trial], list[Trial]], named: _Named
) -> list[Named]:
    """One mistake in a part of the calls, or several that are soon found: one edit mends all."""
    found = _in_branch(page, one, _alone_in_part(_parts_of(calls[0]), named))
    with suppress(budget.Spent), budget.limited(_BESIDE_AN_EDIT):
        found = found or named(*calls)
    return found


def _at_length(
    page: Page, one: Examination, calls: tuple[list[Trial], list[Trial]], named: _Named
) -> list[Named]:
    """Several mistakes that explain all calls together, else what explains a part of them."""
    parts = _parts_of(calls[0])
    return named(*calls) or _in_branch(
        page, one, _alone_in_part(parts, named) or _in_part(parts, named)
    )


def _alone_in_part(parts: Sequence[Sequence[Trial]], named: _Named) -> list[Named]:
    """The mistake that explains a part of the calls, or one reading of them, by itself."""
    return next(filter(None, (named(part, (), "") for part in parts)), [])


def _in_part(parts: Sequence[Sequence[Trial]], named: _Named) -> list[Named]:
    """The mistakes that explain a part of the calls, or one reading of them, together."""
    with suppress(budget.Spent), budget.limited(_TWO_OTHERWISE):
        return next(filter(None, map(named, parts)), [])
    return []


def _in_branch(page: Page, one: Examination, found: list[Named]) -> list[Named]:
    """What explains some calls alone is made in the branch that these take, and few others."""
    branch = wrong_branch(one, page.source.tree, _STRAY) if found else None
    if branch is None:
        return found
    # What a branch returns may have been made on the way there.
    line = branch.line if branch.kind == "skips" else branch.lines.start
    return [each if each.line in branch.lines else replace(each, line=line) for each in found]


def _parts_of(evidence: Sequence[Trial]) -> list[list[Trial]]:
    """What is explained alone where no mistake explains all.

    Calls without a mask, those with every switch as it is by default, those that go wrong,
    those that did not raise, and those that did not give another shape.
    """
    plain = [trial for trial in evidence if trial.case.mask is None]
    usual = [trial for trial in evidence if trial.case.usual(trial.function)]
    wrong = [trial for trial in evidence if trial.wrong]
    # That the same words are raised says little where no number does.
    telling = wrong if any(trial.answer.fault is None for trial in wrong) else []
    # Nor that there is NaN where there should be numbers, which comes of many mistakes.
    telling = telling if any(trial.tells for trial in telling) else []
    ran = [trial for trial in evidence if trial.answer.fault is None]
    # What has another shape has it by what comes after the mistake, which people write otherwise.
    shaped = [trial for trial in evidence if not trial.misshapen]
    parts = [part for part in (plain, usual, telling, ran, shaped) if 0 < len(part) < len(evidence)]
    return [part for part in parts if any(trial is one for trial in part for one in wrong)]


def _read_otherwise(one: Weighing, named: _Named) -> list[Named]:
    """The mistakes that give a submission's numbers where its weights are read in another way.

    One mistake alone is looked for in all readings before two are.
    """
    held = one.held
    known = held.aligned or one.plain or _surely_read(one)
    others = [reading for reading in held.likely if reading != held.reading and not known]
    calls: list[list[Trial]] = []
    for reading in others:
        other = one.read_as(reading)
        calls.append(other.recorded([other.trial(t.case) for t in one.seen if not t.group]))
    return _alone_in_part(calls, named) or _in_part(calls, named)


def _surely_read(one: Weighing) -> bool:
    """Whether layers make what is expected, so that no other reading would.

    Where one layer makes all, another may.
    """
    wrong = next((trial for trial in one.seen if trial.wrong and trial.answer.steps), None)
    return wrong is not None and not _fused(one) and follow(one.kata, one.right, wrong).read
