"""Name the mistake of a function: the edited model answer that gives its numbers, and its line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, combinations, compress, islice

from ...kata.catalogue import Kata
from ...kata.slips import Edit, Slip, changed_line, variants
from ..judge import budget
from ..judge.trials import Trial
from ..judge.truth import FAULTS, answers, made, options
from ..process.answers import Step
from ..report.message import Said, say
from .chains import chained
from .holding import holding, same_numbers
from .places import Places
from .pointing import keys_made_twice, line_of, named_steps
from .slight import slight_penalty
from .statements import statement
from .tried import Tried, sayings

__all__ = ["Named", "diagnose", "raising"]

# How many pairs of mistakes are tried: those of which a trace shows one, and others, which
# are more for functions, since these take a tenth of the time.
_PAIRS, _UNMARKED, _FREE = 2000, 150, 600
# Of these so many are tried before chains of mistakes are.
_FIRST = 200
_Option = tuple[Slip, Edit]
# Edits that leave the model answer right, and the mistakes beside them.
_Explanation = tuple[tuple[Edit, ...], list[_Option]]
# A mask's penalty that is too small, down to what changes no result.
_SLIGHT = "mask-fill-small"
_KEYS_FOR_VALUES = ("values-from-keys", "weights-on-keys")
# A division by the width, and two by its root: one in numbers.
_AT_ONCE, _TWICE = "scale-without-sqrt", "scale-twice"
# Mistakes of this rank, of which there are many, are not looked for beside others.
_ALONE = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A mistake that gives the submission's numbers, its line, and a line of the model answer.

    edits: all that together make the answer that gives them. partly: whether there are calls that
    they would change and that are answered right.
    """

    slip: Slip
    edit: Edit
    line: int | None
    reference: str | None
    matches: str | None
    edits: tuple[Edit, ...] = ()
    partly: bool = False

    def said(self, kata: str) -> Said:
        """The mistake's sentence in a kata."""
        what = say("slip", kata=kata, id=self.slip.id)
        return say("sometimes", text=what) if self.partly else what


def diagnose(
    tried: Tried, evidence: Sequence[Trial], further: Sequence[Trial], places: Places,
    numbers: tuple[str, ...], *, below: tuple[Edit, ...] = (), beside: str | None = None,
) -> list[Named]:  # fmt: skip
    """Return the mistakes that together give what a submission's function gave.

    tried: what is known of that function's mistakes. evidence: its calls with their answers,
    those without a mask and those with one. further: calls that are explained as well, where any
    mistake explains all. numbers: those that the submission has written. below: the mistakes of
    functions that this one calls. beside: the mistake that every pair is to have; "" for one
    alone.
    """
    kata, name = tried.kata, tried.name
    shows = _shown(evidence, places)
    likely = [one for one in options(kata, name, numbers) if shows(one[0])]
    usable = [trial for trial in evidence if not trial.missing]
    others = [trial for trial in further if not trial.missing]
    if not usable or all(tried.explains(below, many) for many in (usable, others)):
        return []
    many = _explanations(tried, likely, usable, below, beside)
    base, found = explained = _fullest(tried, many, others)
    found = _told_apart(tried, explained, likely, usable, places)
    found = _scaled_twice(tried, explained[0], found, likely, usable)
    found, slight = _slightly(tried, found, base, likely, usable)
    named = []
    source = kata.solution()
    for slip, edit in found:
        rest = (*base, *(e for s, e in found if s is not slip))
        line = line_of(kata, name, slip, (rest, (*rest, edit)), [*usable, *others], places)
        if slight is not None and slip.id == _SLIGHT:
            line = slight.line
        # A kernel's lines are others than those of the answer in torch that it is judged by.
        reference, matches = (None, None) if kata.kernels else changed_line(edit, source)
        whole = (*base, *(e for _, e in found))
        named.append(Named(slip=slip, edit=edit, line=line, reference=reference, matches=matches,
                           edits=whole))  # fmt: skip
    return sorted(named, key=lambda one: one.line or 0)


def _explanations(
    tried: Tried, likely: Sequence[_Option], evidence: Sequence[Trial], below: tuple[Edit, ...],
    beside: str | None,
) -> Iterator[_Explanation]:  # fmt: skip
    """Yield what explains the evidence, beside variants: a mistake alone, then several."""
    kata = tried.kata
    bases: list[tuple[Edit, ...]] = [below, *((*below, edit) for edit in variants(kata.folder))]

    for base in bases:
        yield from ((base, one) for one in _single(tried, likely, evidence, base))
    if beside == "":
        return
    # Of a program a chain takes long: beside the variant alone that it is most like.
    followed = [_nearest(tried, bases, evidence)] if kata.kind == "program" else bases
    chains = (
        (base, found) for base in followed for found in chained(tried, likely, evidence, base)
    )
    if kata.kind == "program":
        # Of a whole program's steps a trace tells more than trying pairs does.
        yield from chains
    differing = [
        base for base in bases
        if not base or (not below and _differs(kata, tried.name, base, evidence))
    ]  # fmt: skip
    pairs = [(base, _pairs(tried, likely, evidence, base, beside)) for base in differing]
    if kata.kind != "program" and beside is None:
        yield from ((base, pair) for base, many in pairs for pair in islice(many, _FIRST) if pair)
        yield from chains
    yield from ((base, pair) for base, many in pairs for pair in many if pair)


def _nearest(
    tried: Tried, bases: Sequence[tuple[Edit, ...]], evidence: Sequence[Trial]
) -> tuple[Edit, ...]:
    """The variant of which the first wrong call's trace holds the most."""
    traced = [one for one in evidence if one.answer.steps]
    trial = next((one for one in traced if one.wrong), next(iter(traced), None))

    def unheld(base: tuple[Edit, ...]) -> int:
        way = tried.traced(base, trial) if trial is not None else None
        return sum(not way.holds(name) for name in way.steps) if way is not None else 0

    return min(bases, key=unheld)


def _told_apart(
    tried: Tried, explained: _Explanation,
    likely: Sequence[_Option], evidence: Sequence[Trial], places: Places,
) -> list[_Option]:  # fmt: skip
    """Values made as the keys are, and weights put on the keys, may agree in numbers.

    What makes the keys is called twice for the one, and once for the other. Where no layer is
    left for the values, the keys' makes them.
    """
    base, found = explained
    meant = [slip.id for slip, _ in found if slip.id in _KEYS_FOR_VALUES]
    if not meant:
        return found
    twice = keys_made_twice(tried.kata, tried.name, evidence)
    made = twice or places.renamed("v", "k") is not None or _without_values(evidence[0])
    wanted = _KEYS_FOR_VALUES[0 if made else 1]
    rest = [one for one in found if one[0].id not in _KEYS_FOR_VALUES]
    for option in (one for one in likely if wanted != meant[0] and one[0].id == wanted):
        edits = (*base, option[1], *(edit for _, edit in rest))
        if tried.explains(edits, evidence):
            return [option, *rest]
    return found


def _without_values(trial: Trial) -> bool:
    """Whether a submission has no weights that could make values."""
    own = (v for n, v in trial.given.weights.items() if n.endswith("value_proj.weight"))
    return any(not bool(weight.any()) for weight in own)


def _scaled_twice(
    tried: Tried, base: tuple[Edit, ...], found: list[_Option], likely: Sequence[_Option],
    evidence: Sequence[Trial],
) -> list[_Option]:  # fmt: skip
    """A scale that is applied twice leaves what it made at first; else it is one division."""
    if not any(slip.id in {_AT_ONCE, _TWICE} for slip, _ in found):
        return found
    rest = [one for one in found if one[0].id not in {_AT_ONCE, _TWICE}]
    edits = (*base, *(edit for _, edit in rest))
    same = [
        one for one in likely if one[0].id in {_AT_ONCE, _TWICE}
        and tried.explains((*edits, one[1]), evidence)
    ]  # fmt: skip
    twice = (
        one for one in same if one[0].id == _TWICE and _made_first(tried, edits, one[1], evidence)
    )
    once = (one for one in same if one[0].id == _AT_ONCE)
    meant = next(twice, None) or next(once, None)
    return found if meant is None else [meant, *rest]


def _made_first(
    tried: Tried, edits: tuple[Edit, ...], edit: Edit, evidence: Sequence[Trial]
) -> bool:
    """Whether a trace holds what an edit alone names, where it is not another step as well."""
    for trial in evidence:
        right, wrong = (
            named_steps(tried.kata, tried.name, each, trial, whole=False)
            for each in (edits, (*edits, edit))
        )
        own = [value for name, value in wrong.items() if name not in right]
        others = [value for name, value in wrong.items() if name in right]
        # Of one feature the root is 1, and what is scaled is as it was.
        if any(same_numbers(value, one) for value in own for one in others):
            continue
        if any(holding(value, trial.answer.steps, trial.given) is not None for value in own):
            return True
    return False


def _slightly(
    tried: Tried, found: list[_Option], base: tuple[Edit, ...], likely: Sequence[_Option],
    evidence: Sequence[Trial],
) -> tuple[list[_Option], Step | None]:  # fmt: skip
    """A mask that changes nothing may do so by a penalty that is far too small: its step too."""
    at = next((at for at, (slip, _) in enumerate(found) if slip.id == "mask-ignored"), None)
    step = None if at is None else slight_penalty(tried.kata, tried.name, evidence)
    if at is None or step is None:
        return found, None
    rest = [*found[:at], *found[at + 1 :]]
    for option in (one for one in likely if one[0].id == _SLIGHT):
        if tried.explains((*base, option[1], *(edit for _, edit in rest)), evidence):
            return [*rest, option], step
    return found, None


def _fullest(tried: Tried, many: Iterator[_Explanation], further: Sequence[Trial]) -> _Explanation:
    """The first of the explanations that holds for further calls too, else the first."""
    first: _Explanation | None = None
    with suppress(budget.Spent):
        for base, found in many:
            first = first or (base, found)
            if tried.explains((*base, *(edit for _, edit in found)), further):
                return base, found
    return first or ((), [])


def _single(
    tried: Tried, likely: Sequence[_Option], evidence: Sequence[Trial], base: tuple[Edit, ...]
) -> Iterator[list[_Option]]:
    """Yield each mistake that explains the evidence, beside a variant of the model answer."""
    telling, _ = _sorted(tried, evidence, base)
    for slip, edit in likely:
        if tried.explains((*base, edit), telling):
            yield [(slip, edit)]


def _pairs(
    tried: Tried,
    likely: Sequence[_Option],
    evidence: Sequence[Trial],
    base: tuple[Edit, ...],
    beside: str | None,
) -> Iterator[list[_Option]]:
    """Try pairs of mistakes, beside a variant; yield each that explains the evidence, else none."""
    telling, right = _sorted(tried, evidence, base)
    if not any(trial.tells for trial in telling):
        # NaN in place of numbers comes of many pairs, and tells none from another.
        return
    # Two mistakes don't cancel: where the submission is right, each of them does no harm.
    likely = [
        one for one in likely
        if (one[0].rank < _ALONE or one[0].id == beside)
        and tried.explains((*base, one[1]), right)
    ]  # fmt: skip
    many = [
        (one, other) for one, other in combinations(likely, 2)
        if beside is None or beside in {one[0].id, other[0].id}
    ]  # fmt: skip
    # Of two mistakes the earlier leaves its own mark: pairs of which one does come first, and
    # of these the pairs whose mark is the longest.
    trial = next((one for one in evidence if one.answer.steps), None)
    lengths = [max(tried.mark(edit, trial) for _, edit in pair) for pair in many]
    marked = sorted(compress(range(len(many)), lengths), key=lambda at: -lengths[at])
    unmarked = (at for at, length in enumerate(lengths) if not length)
    left = _UNMARKED if evidence[0].given.weights else _FREE
    for one, other in (many[at] for at in chain(marked[:_PAIRS], islice(unmarked, left))):
        apart = one[0].id != other[0].id
        explained = apart and tried.explains_both(base, (one[1], other[1]), telling)
        yield [one, other] if explained else []


def _differs(kata: Kata, name: str, base: tuple[Edit, ...], evidence: Sequence[Trial]) -> bool:
    """Whether a variant of the model answer gives other numbers than the model answer."""
    for trial in evidence:
        plain, other = (named_steps(kata, name, edits, trial) for edits in ((), base))
        if plain.keys() != other.keys() or not all(same_numbers(plain[n], other[n]) for n in plain):
            return True
    return False


def _sorted(
    tried: Tried, evidence: Sequence[Trial], base: tuple[Edit, ...]
) -> tuple[list[Trial], list[Trial]]:
    """The calls in the order in which they tell mistakes apart, and those that are right."""
    right: list[Trial] = []
    wrong: list[Trial] = []
    for trial in evidence:
        (right if tried.explains(base, [trial]) else wrong).append(trial)
    # Most mistakes are held against the first of them alone: what is soonest done comes first.
    wrong.sort(key=lambda trial: trial.weight * (1 + len(trial.given.before)))
    return [*wrong, *right], right


def _shown(evidence: Sequence[Trial], places: Places) -> Callable[[Slip], bool]:
    """Say of mistakes whether what tells one from its twins is so: calls made, statements not."""
    made = [(trial.case.mask, trial.answer.steps) for trial in evidence]
    # Where the mask is built in, every call is masked.
    every = not any(mask is not None for mask, _ in made)
    masked = [
        {one.call.strip("_") for one in steps}
        for mask, steps in made if steps and (every or mask is not None)
    ]  # fmt: skip
    ran = {line for _, steps in made for one in steps for line in one.lines}

    def shows(slip: Slip) -> bool:
        if slip.calls and not all(set(slip.calls) & calls for calls in masked):
            return False
        if any(set(slip.without) & calls for calls in masked):
            return False
        return not slip.unless or statement(places.around(ran), slip.unless) is None

    return shows


def raising(
    kata: Kata, name: str, trial: Trial, words: str, numbers: tuple[str, ...],
    again: Callable[[Trial], Trial],
) -> Slip | None:  # fmt: skip
    """Return the mistake with which the model answer raises a call's very words, sizes and all.

    again: what makes a call once more and keeps its steps. Of several mistakes it is the one that
    gets as far as the call did.
    """
    alike: list[_Option] = []
    for slip, edit in options(kata, name, numbers):
        functions = answers(kata, (edit,))
        try:
            if functions is not None:
                made(functions[name], trial.posed, named=False)
        except FAULTS as fault:
            if sayings(str(fault)) == sayings(words):
                alike.append((slip, edit))
    if len(alike) < 2:
        return alike[0][0] if alike else None
    tried, call = Tried(kata, name), again(trial)

    def reached(one: _Option) -> int:
        traced = tried.traced((one[1],), call)
        return sum(1 if traced.holds(step) else -1 for step in traced.steps)

    return max(alike, key=reached)[0]
