"""On which line of a submission a mistake is made, once an edit of the model answer names it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from ...kata.catalogue import Kata
from ...kata.slips import Edit, Slip, renamed
from ..judge.given import Given
from ..judge.trials import Trial
from ..judge.truth import FAULTS, answers, made
from ..process.answers import Step
from .blocks import constructed
from .cut_apart import cut_apart
from .drawn import drawn_in, shown_in
from .holding import as_it_lies, holding, laid, moved, same_numbers, stacked
from .kernels import with_called
from .kinds import first, in_floats, moves, rounds, rounds_far
from .milestones import find
from .overflows import overflow
from .places import Places
from .statements import statement
from .tiles import holding_part

__all__ = ["LOW_PRECISION", "keys_made_twice", "line_of", "named_steps"]

# A number beside another one (an eps) gives nearly the same; what comes of it is less and less so.
_NEARLY = 1e-4
# Places or angles that are rounded, and what is told to where it is rounded.
LOW_PRECISION = "-low-precision"
_ROUNDED = "distance-rounded"
# Calls that make keys of an input, or cut them out of what is made.
_MAKERS = {
    "linear", "matmul", "einsum", "__matmul__", "__getitem__", "narrow", "view", "reshape",
    "select", "index_select",
}  # fmt: skip
# Calls that put parts together.
_COLLECTING = {"setitem", "cat", "concat", "stack", "copy", "index_copy", "index_put", "hstack"}
# Calls that put a mask on.
_HIDING = {"masked_fill", "where"}
# Groups of what is done with a mask: one that hides nothing shows little of it.
_OF_MASKS = {"mask", "fill", "read", "joined", "turned", "flipped"}


def line_of(
    kata: Kata,
    name: str,
    slip: Slip,
    edits: tuple[tuple[Edit, ...], tuple[Edit, ...]],
    evidence: Sequence[Trial],
    places: Places,
) -> int | None:
    """Where the trace first holds what the mistake makes; then where that line took it from.

    edits: those without and with the mistake.
    """

    def tells_less(trial: Trial) -> tuple[bool, bool]:
        # A row with nothing to attend to holds whatever its author likes.
        return slip.group in _OF_MASKS and trial.case.mask == "full", trial.keep is not None

    evidence = sorted(evidence, key=tells_less)
    said = next(filter(None, (_said(slip, trial, places) for trial in evidence)), None)
    calls = _telling(kata, name, slip, edits, evidence)
    others = {other for other in kata.names if other != name}
    inside = slip.group == "call" and kata.kind == "program"
    given = slip.group == "given" or renamed(edits[1][-1])
    pointed = (_pointed(slip, call, places, others, inside=inside, given=given) for call in calls)
    return said or next(filter(None, pointed), None)


def _said(slip: Slip, trial: Trial, places: Places) -> int | None:
    """The statement of what ran that holds a mistake which leaves nothing in a trace."""
    ran = [step.lines for step in trial.answer.steps if step.lines]
    if not ran:
        return None
    lines = {line for each in ran for line in each}
    functions = with_called(places.around(lines), places.tree)
    found = statement(functions, slip.says, constructed(places.tree, lines))
    if slip.group == "return":
        return found or places.last_return(ran[-1][-1])
    # What counts in plain Python leaves no trace.
    return found or statement(places.helping(functions), slip.says)


def _pointed(
    slip: Slip, call: _Call, places: Places, others: set[str], *, inside: bool, given: bool
) -> int | None:
    """The line of a mistake by one call, behind the step in which it shows.

    others: the other functions that are asked for. inside: whether the loop that calls a model's
    parts is left out. given: whether a helper that takes all from its caller may have been given
    the wrong thing.
    """
    trial, steps, right, wrong, _ = call
    step = _showing(slip, call)
    fault = trial.answer.fault
    if step is None and fault is not None and fault.line is not None:
        return fault.line
    step = step or _departure(right, steps, trial.given)
    if step is None:
        return None
    step = _acting(slip, call, step)
    whole = stacked(step, steps)
    if not any(as_it_lies(v, [step, whole]) for v in right.values() if v.numel() > 1):
        # What is taken out was wrong before.
        step = whole
    unused = _unused(slip, call)
    if unused is not None:
        return places.own_line(_blamed(unused, steps, right, wrong), others)
    # Position 0 turns nothing: what is wrongly there is the right one, unturned.
    same = slip.group == "swapped" or slip.id == "rope-positions-restart"
    blamed = _blamed(step, steps, right, wrong, taken=same)
    step = places.within(step) if inside else step
    behind = places.behind(slip, step, steps, others)
    blamed = places.given_by(blamed, others, made=slip.group == "given") if given else blamed
    return behind or places.handed_on(step, places.own_line(blamed, others))


def _showing(slip: Slip, call: _Call) -> Step | None:
    """The step in which a mistake shows: where it overflows, is drawn or made, or first differs."""
    trial, steps, right, wrong, differs = call
    step = overflow(steps, right) if slip.group == "overflow" else None
    if slip.group == "drawn":
        step = drawn_in(slip, right, wrong, [*trial.answer.made, *steps])
    step = step or _constructed(slip, right, wrong, trial.answer.made)
    step = step or _first_wrong(slip, right, wrong, differs, steps, trial.given)
    # What is rounded otherwise than the answer rounds it is nowhere held.
    return step or (first(steps, rounds_far) if slip.id.endswith(LOW_PRECISION) else None)


def _acting(slip: Slip, call: _Call, step: Step) -> Step:
    """The step that acts, where the one in which a mistake shows does not."""
    trial, steps, right, wrong, differs = call
    if slip.group == "skipped":
        return _taking(step, steps, slip, wrong)
    if slip.id == _ROUNDED:
        # What is compared was rounded before.
        before = steps[: 1 + next(n for n, one in enumerate(steps) if one is step)]
        return first(before, rounds) or first(before, in_floats) or step
    if slip.group in {"index", "step"} and moves(step):
        return _before_moves(slip, call, step)
    if slip.group != "mask" or any(one.call.strip("_") in _HIDING for one in steps):
        return step
    # A mask that nothing is done with is left out where the weights are made.
    weights = find(wrong["weights"], steps) if "weights" in wrong else None
    return weights or _first_wrong(slip, right, wrong, differs, steps, trial.given) or step


def _before_moves(slip: Slip, call: _Call, step: Step) -> Step:
    """The first step that holds what one moves about, where it is no step's of the model answer.

    What is picked, or laid side by side, is so by what picks it, and moved to the front then.
    """
    held = next((one for one in step.values if one.numel() > 1), None)
    if held is None or (slip.group == "step" and any(_rearranged(held, v)
                        for v in call.right.values() if v.numel() == held.numel())):  # fmt: skip
        return step
    return find(held.flatten(), call.steps) or step


def _unused(slip: Slip, call: _Call) -> Step | None:
    """The step that makes what is right, where it was made all the same and thrown away."""
    if slip.group not in {"mask", "thrown"}:
        return None
    shown = (call.right[n] for n in slip.shows if n in call.right and n in call.differs)
    made = next(shown, None)
    return None if made is None else holding(made, call.steps, call.trial.given)


class _Call(NamedTuple):
    """A call, and what the model answer names in it without and with the mistake."""

    trial: Trial
    steps: list[Step]
    right: dict[str, Tensor]
    wrong: dict[str, Tensor]
    differs: list[str]


def _telling(
    kata: Kata, name: str, slip: Slip, edits: tuple[tuple[Edit, ...], tuple[Edit, ...]],
    evidence: Sequence[Trial],
) -> Iterator[_Call]:  # fmt: skip
    """The calls in which the mistake shows; first those in which it shows where it is made."""
    behind, parts = list[_Call](), kata.solution().count("def forward(") > 1
    for trial in evidence:
        steps = [step for step in trial.answer.steps if step.lines]
        if not steps:
            continue
        # What parts make in turn is meant where they make it the first time.
        right, wrong = (named_steps(kata, name, each, trial, whole=False, ordered=parts)
                        for each in edits)  # fmt: skip
        differs = [n for n, v in wrong.items() if n not in right or not same_numbers(right[n], v)]
        if set(right) - set(wrong):
            # What raises leaves a name with what it had before.
            differs = [n for n in differs if not any(same_numbers(wrong[n], right[o])
                                                     for o in right if o != n)]  # fmt: skip
        # What the edit alone names says nothing of whether the mistake shows in this call.
        shown = {*differs} & {*right} if right else differs
        if not (shown or set(right) - set(wrong)):
            continue
        call = _Call(trial, steps, right, wrong, differs)
        # One number alone is held by much else; who calls is not seen where all comes out right.
        harmless = slip.group == "call" and "output" in {*right} & {*wrong} - {*differs}
        telling = [n for n in slip.shows if n in differs]
        if harmless or (slip.shows and not any(wrong[n].numel() > 1 for n in telling)):
            behind.append(call)
        else:
            yield call
    yield from behind


def keys_made_twice(kata: Kata, name: str, evidence: Sequence[Trial]) -> bool:
    """Whether a call makes the keys of the model answer more than once."""
    trial = next((one for one in evidence if one.answer.steps), None)
    right = {} if trial is None else named_steps(kata, name, (), trial)
    key = right.get("key_heads", right.get("key"))
    if trial is None or key is None:
        return False
    makers = (step for step in trial.answer.steps if step.call in _MAKERS)
    many = Counter(step.call for step in makers if find(key, [step]) is not None)
    return max(many.values(), default=0) > 1


def named_steps(
    kata: Kata, name: str, edits: tuple[Edit, ...], trial: Trial, *, whole: bool = True,
    ordered: bool = False,
) -> dict[str, Tensor]:  # fmt: skip
    """What an edited model answer names. whole: nothing where it raises, else all until then.

    ordered: as `made` has it.
    """
    functions = answers(kata, edits)
    if functions is None:
        return {}
    try:
        with torch.no_grad():
            return made(functions[name], trial.posed, whole=whole, ordered=ordered).steps
    except FAULTS:
        return {}


def _first_wrong(
    slip: Slip, right: dict[str, Tensor], wrong: dict[str, Tensor], differs: Sequence[str],
    steps: Sequence[Step], given: Given,
) -> Step | None:  # fmt: skip
    names, shown = list(differs), [name for name in slip.shows if name in differs]
    if shown:
        # What an edit alone names stands behind all else.
        start = 0 if right and shown[0] not in right else names.index(shown[0])
        names = [*shown, *names[start:]]
    for name in names:
        value = wrong[name]
        step = _displaced(value, right, steps, given)
        if step is None and right and name not in right:
            # What an edit alone names is meant as it lies, be it sample by sample; moved about,
            # it is anywhere.
            step = laid(value, steps) or _one_laid(value, steps)
            floats = (one for one in given.tensors.values() if one.is_floating_point())
            same = [v for v in (*right.values(), *floats) if v.numel() == value.numel()]
            if step is None and any(_rearranged(value, v) for v in same):
                continue
        if step is None and given.weights and name in right and _rearranged(value, right[name]):
            step = cut_apart(name, names, right, wrong, steps)
        else:
            step = step or holding(value, steps, given)
            if step is None or (_collects(step) and _made_anew(value, name, right)):
                # What is put together of parts was made part by part.
                parts = holding_part(value, right.get(name), steps, [*right.values()])
                step = parts or step
        if step is None and name in shown and find(value, list(steps)) is None:
            step = find(value, list(steps), _NEARLY)
        if step is not None:
            return step
    return None


def _collects(step: Step) -> bool:
    return step.call.strip("_") in _COLLECTING


def _made_anew(value: Tensor, name: str, right: dict[str, Tensor]) -> bool:
    """Whether a step has other numbers than the right one, and none that another step has."""
    mine = right.get(name)
    return (
        mine is not None
        and mine.shape == value.shape
        and not any(one.numel() == value.numel() and _rearranged(value, one)
                    for one in right.values())
    )  # fmt: skip


def _one_laid(value: Tensor, steps: Sequence[Step]) -> Step | None:
    """The last step that holds one sample of floats as it lies; a mask's is in too many."""
    samples = value if value.dim() > 3 and value.is_floating_point() else ()
    return next(filter(None, (laid(one, steps) for one in samples)), None)


def _constructed(
    slip: Slip, right: dict[str, Tensor], wrong: dict[str, Tensor], made: list[Step]
) -> Step | None:
    """Where the constructor makes what the mistake shows in, which no input has a part in then."""
    shown = shown_in(slip, right, wrong)
    if shown is None or wrong[shown].numel() < 2 or same_numbers(right[shown], wrong[shown]):
        return None
    return None if find(right[shown], made) else find(wrong[shown], made)


def _taking(step: Step, steps: Sequence[Step], slip: Slip, wrong: dict[str, Tensor]) -> Step:
    """The step that takes an earlier value for the one that the mistake shows in, if it is that."""
    names = [*wrong]
    shown = next((name for name in slip.shows if name in wrong), None)
    earlier = names[: names.index(shown)] if shown is not None else []
    if not any(same_numbers(wrong[name], wrong[shown or ""]) for name in earlier):
        return step
    first = find(wrong[shown or ""], list(steps)) or step
    place = next(place for place, one in enumerate(steps) if one is first)
    later = (
        one for one in steps[place + 1 :]
        if one.line != first.line and one.call.strip("_") not in _HIDING
    )  # fmt: skip
    return next(later, step)


def _displaced(
    value: Tensor, right: dict[str, Tensor], steps: Sequence[Step], given: Given
) -> Step | None:
    """The step at which right entries come to lie where they do not belong, if that is all."""
    if given.weights:
        # What a layer made is moved about; the last step that holds it so is meant.
        same = (v for v in right.values() if v.numel() == value.numel())
        return laid(value, steps) if any(_rearranged(v, value) for v in same) else None
    displaced = any(moved(value, one) and not same_numbers(value, one) for one in right.values())
    return as_it_lies(value, steps) if displaced else None


def _rearranged(left: Tensor, right: Tensor) -> bool:
    """Whether two tensors have the same entries, in any order."""
    return same_numbers(left.flatten().sort().values, right.flatten().sort().values)


def _departure(right: dict[str, Tensor], steps: Sequence[Step], given: Given) -> Step | None:
    """The first step, after the last that the model answer takes too, that is as large."""
    places = {id(step): place for place, step in enumerate(steps)}
    reached, wanted = -1, None
    for value in right.values():
        step = holding(value, steps, given)
        if step is not None:
            reached, wanted = max(reached, places[id(step)]), None
        elif wanted is None:
            wanted = value
    if wanted is None:
        return None
    sizes = (
        step for step in steps[reached + 1 :]
        if any(v.numel() == wanted.numel() for v in (*step.values, *step.marks))
    )  # fmt: skip
    return next(sizes, None)


def _blamed(
    step: Step, steps: Sequence[Step], right: dict[str, Tensor], wrong: dict[str, Tensor], *,
    taken: bool = False,
) -> list[int]:  # fmt: skip
    """A step's lines; from its caller's on where a helper that it is in does right elsewhere.

    taken: whether one role has what another has, so that it is right as the other's.
    """
    lines = list(step.lines)
    if not taken and any(one.numel() == v.numel() and _rearranged(one, v)
           for v in step.values for one in right.values()):  # fmt: skip
        # What is moved about is right elsewhere by its entries alone.
        return lines
    floats = [n for n, v in right.items() if v.is_floating_point() and v.numel() > 1]
    kept = [right[n] for n in floats if n in wrong and same_numbers(right[n], wrong[n])]
    while len(lines) > 1:
        others = [
            one for one in steps
            if one.lines[-len(lines) :][:1] == lines[:1]
            and one.lines[-len(lines) :] != lines
            and len(one.lines) >= len(lines)
        ]  # fmt: skip
        if not any(find(value, others) for value in kept):
            break
        lines = lines[1:]
    return lines
