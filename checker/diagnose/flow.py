"""The steps of one call: which of the model answer's it reaches, and where it departs."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import torch
from torch import Tensor

from ...kata.catalogue import Kata
from ...kata.sizes import Sizes
from ..judge.trials import Trial
from ..judge.truth import FAULTS, Answer, executed, made, source_of
from ..process.answers import Step as Traced
from ..report.message import Said
from ..report.report import Departure, Heat, Step
from .heat import heat
from .holding import as_it_lies, holding, misplaced
from .milestones import shown
from .relation import relation

__all__ = ["Flow", "axis_names", "doubts", "follow"]

_ONCE = ("batch", "heads")
# Widths that one layer makes several times.
_STACKED = ("hidden_dim",)
# How model answers hide a score, and how many submissions do.
_FILL = ("lowest = torch.finfo(scores.dtype).min", 'lowest = float("-inf")')
# What makes nothing: it hands on what is there, with an axis of one more or less.
_LAID = frozenset({"squeeze", "unsqueeze"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """A traced call. reached: the traced steps that hold steps of the model answer, by name.

    missing: the first that nothing holds, and nothing made from it either. culprit: the traced
    step that was to make it. since: the last that what it is made from was reached in.
    """

    kata: Kata
    trial: Trial
    right: dict[str, Tensor]
    reached: dict[str, int]
    missing: str | None
    culprit: int | None
    since: int

    def steps(self, sizes: Sizes, *, told: bool) -> list[Step]:
        """The steps as a report carries them. told: whether a departure is spoken of."""
        ticks: dict[int, list[str]] = {}
        for name, place in self.reached.items():
            ticks.setdefault(place, []).append(name)
        missed = (self.culprit if told else None, self.missing or "")
        spoken = _named_sizes(self.trial, sizes)
        return shown(self._traced, ticks, missed, lambda shape: axis_names(shape, spoken))

    def heat(self, case: Said) -> Heat | None:
        """The attention weights of the call, None where none are expected. case: it in words.

        What a kata makes tile by tile has no whole matrix, though one tile's go by that name.
        """
        if self.kata.no_weights or "weights" not in self.right:
            return None
        return heat(self.right["weights"], self._traced, self.reached.get("weights"), case)

    def departure(self) -> Departure | None:
        """Say where the submission first departs, None where it does not."""
        if self.missing is None:
            return None
        since = self._traced[self.since].line if self.since >= 0 else None
        right = self.right[self.missing]
        held = self._traced[self.culprit].values if self.culprit is not None else []
        others = {n: v for n, v in self.right.items() if n != self.missing}
        floats = {n: v for n, v in others.items() if v.is_floating_point()}
        fits = bool(held) and right.is_floating_point()
        message = relation(right, held, floats) if fits else ""
        # Under weights that were taken for others, or by way of a loop, it is anybody's guess.
        unread, rounds = _projected(self.kata) and not self.read, _in_loops(self.kata)
        guessed = unread or self.missing in rounds or (rounds and self.since < 0)
        line = None if guessed and not message else self.line
        return Departure(milestone=self.missing, line=line, since=since, message=message)

    @property
    def line(self) -> int | None:
        """The line of what seems to be made in the place of what is missing."""
        return None if self.culprit is None else self._traced[self.culprit].line

    @property
    def read(self) -> bool:
        """Whether all that layers make before the first departure is there.

        If so, the weights are the ones that they were taken for.
        """
        before = list(self.right)
        before = before[: before.index(self.missing)] if self.missing is not None else before
        made_by = _projected(self.kata) & {*before}
        return bool(made_by) and made_by <= self.reached.keys()

    @property
    def _traced(self) -> list[Traced]:
        return self.trial.answer.steps


def follow(kata: Kata, answer: Answer, trial: Trial) -> Flow:
    """Hold a traced call against the model answer's named steps."""
    steps: Sequence[Traced] = trial.answer.steps
    places = {id(step): place for place, step in enumerate(steps)}
    with torch.no_grad():
        right = made(_filled_alike(kata, answer, trial), trial.given, whole=False).steps
    for name in _dropped(kata):
        # Nothing is dropped here.
        right.pop(name, None)
    exact = {name: as_it_lies(value, steps) for name, value in right.items()}
    reached: dict[str, int] = {}
    for name, value in right.items():
        step = exact[name] or holding(value, steps, trial.given)
        if step is not None:
            reached[name] = places[id(step)]
    order = list(right)
    surely = set(reached)
    if trial.wrong:
        surely -= _misplaced(right, exact, steps) | {"output"}
    after = max((order.index(name) for name in surely), default=-1)
    further = order[after + 1 :] if steps else []
    own: set[str] = set()
    if further:
        own = _own_affair(kata, answer, trial, right) | _unrepeated(kata, right, surely, steps)
    further = [name for name in further if name not in own]
    missing = further[0] if further else None
    if missing == "output":
        # Of several results another may be right, and come later.
        returned = _sources(kata)[missing] & right.keys()
        missing = next((n for n in order if n in returned and n not in reached), missing)
    elif missing is not None:
        # A mask may be made in many ways, and be put on in as many.
        meant = {name for name in order if right[name].is_floating_point()} - own
        missing = _first_on_the_way(missing, kata, meant, order, surely, own) or missing
    reached = {n: place for n, place in reached.items() if n in surely or missing is None}
    since, culprit = -1, None
    if missing is not None:
        since = _since(missing, _sources(kata), reached)
        # A step in another order holds what it was made from.
        others = [right[n] for n in reached if not _same_numbers(right[n], right[missing])]
        culprit = _culprit(right[missing], steps, since, others, set(reached.values()))
    return Flow(
        kata=kata, trial=trial, right=right, reached=reached, missing=missing, culprit=culprit,
        since=since,
    )  # fmt: skip


def _filled_alike(kata: Kata, answer: Answer, trial: Trial) -> Answer:
    """The model answer, with -inf as its fill where the submission has rows of NaN by that.

    A row with nothing to attend to may be what its author likes, and says nothing of a departure.
    """
    held = (one for step in trial.answer.steps for one in step.values)
    if trial.keep is None or not any(bool(one.isnan().any()) for one in held):
        return answer
    other = executed(kata, source_of(answer).replace(*_FILL))
    return answer if other is None else other[trial.function.name]


def _misplaced(
    right: dict[str, Tensor], exact: Mapping[str, Traced | None], steps: Sequence[Traced]
) -> set[str]:
    """The names whose entries are all there, in their shape, and only in other places.

    exact: the step that holds each as it lies.
    """
    return {
        name
        for name, value in right.items()
        if value.is_floating_point() and exact[name] is None
        and any(misplaced(value, step) for step in steps)
    }  # fmt: skip


@cache
def _dropped(kata: Kata) -> frozenset[str]:
    """What the model answer names of what a dropout returns."""
    return _bound(kata.solution(), _calls_dropout)


def _own_affair(kata: Kata, answer: Answer, trial: Trial, right: dict[str, Tensor]) -> set[str]:
    """The steps that right code need not make.

    What does not depend on what is given, such as positions that a mask is made of, and what a
    loop makes in its rounds.
    """
    other: dict[str, Tensor] = {}
    with torch.no_grad(), suppress(*FAULTS):
        other = made(answer, trial.given.otherwise()).steps
    fixed = {n for n, v in right.items() if n in other and torch.equal(v, other[n])}
    if fixed >= right.keys() - {"output"}:
        # A mask made of a length alone: there is nothing else to speak of.
        fixed = set()
    return {*_in_loops(kata), *fixed} - {"output"}


def _unrepeated(
    kata: Kata, right: dict[str, Tensor], reached: set[str], steps: Sequence[Traced]
) -> set[str]:
    """What repeats a step that was reached, such as a group's keys for its heads, and is not here.

    Right code may share them as they are.
    """
    held = [v for step in steps for v in step.values]
    found: set[str] = set()
    for name in right.keys() - reached:
        value = right[name]
        made_of = (right[one] for one in _sources(kata).get(name, set()) & reached)
        repeats = any(one.numel() < value.numel() and _same_numbers(one, value) for one in made_of)
        many = (v for v in held if v.numel() == value.numel())
        if repeats and not any(_same_numbers(v, value) for v in many):
            found.add(name)
    return found


def _same_numbers(left: Tensor, right: Tensor) -> bool:
    """Whether two hold the same numbers, each as often as may be."""
    left, right = left.double().unique(), right.double().unique()
    return left.shape == right.shape and bool(torch.isclose(left, right, equal_nan=True).all())


def _first_on_the_way(
    missing: str, kata: Kata, meant: set[str], order: Sequence[str], reached: set[str],
    own: set[str],
) -> str | None:  # fmt: skip
    """The first of the steps meant that one is made from, was not reached, and was to be.

    What something reached is made from was not to be: it was made in another way; what is right
    code's own affair, as a mask of as many ones as there are scores, says nothing of that. Nor was
    what layers with matrices make, which stands or falls with what their weights are taken for.
    """
    sources = _sources(kata)
    missed = meant - reached - (_projected(kata) - _normed(kata))
    missed -= _behind(reached - own, sources, set(order))
    on_the_way = _behind([missing], sources, set(order) - reached)
    return next((name for name in order if name in missed & on_the_way), None)


def _behind(
    names: Iterable[str], sources: dict[str, set[str]], among: AbstractSet[str]
) -> set[str]:
    """What some names are made from, each by way of others that are looked at."""
    waiting, found = [*names], set[str]()
    while waiting:
        fresh = sources.get(waiting.pop(), set()) & among - found
        found |= fresh
        waiting += fresh
    return found


def _since(missing: str, sources: dict[str, set[str]], reached: dict[str, int]) -> int:
    """The last step in which something that this one is made from is reached, -1 for none."""
    way = {missing, *_behind([missing], sources, sources.keys() - reached.keys())}
    made_of = set[str]().union(*(sources.get(name, set()) for name in way))
    return max((reached[name] for name in made_of & reached.keys()), default=-1)


def _culprit(
    right: Tensor, steps: Sequence[Traced], since: int, others: Sequence[Tensor], taken: set[int]
) -> int | None:
    """The first step after another that is as large as the right one, and holds none that is right.

    Nor does it lay out anew some of the others. Where each of them is or does, the first.
    """
    floats = right.is_floating_point()
    sized = [
        place
        for place in range(since + 1, len(steps))
        if any(
            held.numel() == right.numel()
            for held in (steps[place].values if floats else steps[place].marks)
        )
    ]
    made = [place for place in sized if steps[place].call not in _LAID] or sized
    fresh = [place for place in made if place not in taken]
    anew = (
        place for place in fresh
        if not any(
            held.numel() == one.numel() and _same_numbers(held, one)
            for held in steps[place].values for one in others
        )
    )  # fmt: skip
    return next(anew, next(iter(fresh or made), None))


@cache
def _sources(kata: Kata) -> dict[str, set[str]]:
    """By each name of the model answer the names that it is made from."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(ast.parse(kata.solution())):
        if isinstance(node, (ast.Assign, ast.Return)) and node.value is not None:
            made_of = _names(node.value)
            targets = node.targets if isinstance(node, ast.Assign) else []
            for name in set().union(*map(_names, targets)) if targets else {"output"}:
                found.setdefault(name, set()).update(made_of)
    return found


@cache
def _projected(kata: Kata) -> frozenset[str]:
    """What the model answer names of what its layers make."""
    return _bound(kata.solution(), lambda value: bool(_called(value)))


@cache
def _normed(kata: Kata) -> frozenset[str]:
    """What the model answer names of what its norms make."""
    modules = [one.module for one in kata.asked.functions if one.module is not None]
    gains = {one.name.rpartition(".")[2] for each in modules for one in each.layers if one.gain}
    return _bound(kata.solution(), lambda value: not gains.isdisjoint(_called(value)))


def _calls_dropout(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and "dropout" in ast.unparse(node.func)


def _called(value: ast.expr) -> set[str]:
    """The object's own layers that an expression calls."""
    calls = (node.func for node in ast.walk(value) if isinstance(node, ast.Call))
    return {
        one.attr for one in calls
        if isinstance(one, ast.Attribute) and getattr(one.value, "id", "") == "self"
    }  # fmt: skip


@cache
def _in_loops(kata: Kata) -> frozenset[str]:
    """What the model answer names in its loops."""
    loops = (
        node for node in ast.walk(ast.parse(kata.solution()))
        if isinstance(node, (ast.For, ast.While))
    )  # fmt: skip
    return frozenset().union(*(_bound(loop, lambda _: True) for loop in loops))


def _bound(where: str | ast.AST, meant: Callable[[ast.expr], bool]) -> frozenset[str]:
    """The names that assignments in a source bind, of the values that are meant."""
    tree = ast.parse(where) if isinstance(where, str) else where
    return frozenset(
        name
        for node in ast.walk(tree)
        if isinstance(node, (ast.Assign, ast.AugAssign)) and meant(node.value)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        for name in _names(target)
    )


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def doubts(trial: Trial, sizes: Sizes) -> int:
    """How many of a call's sizes are another's too, or 1, which says even less."""
    worth = [size for _, size in _named_sizes(trial, sizes)]
    return len(worth) - len(set(worth)) + 2 * worth.count(1)


def _named_sizes(trial: Trial, sizes: Sizes) -> list[tuple[str, int]]:
    """The sizes of a call's axes by name; of a later call also how many keys there are."""
    case, function = trial.case, trial.function
    named = [(sizes.axes[n], s) for n, s in case.sizes.items() if n not in function.numbers]
    if case.after and function.state is not None:
        named.append(("key_length", case.after + case.sizes[function.state.along]))
    return named


def axis_names(shape: Sequence[int], spoken: Sequence[tuple[str, int]]) -> list[str]:
    """Name each axis of a shape by its size; one that is no size's keeps its number.

    Of names for one size, a shape has each once where that can be.
    """
    known: dict[int, list[str]] = {}
    for name, size in ((name, size) for name, size in spoken if size > 1):
        known.setdefault(size, []).append(name)
    for (one, left), (other, right) in combinations(spoken, 2):
        folded = one.endswith("heads") and other == "head_dim"
        folded |= one == "batch" and other in {"heads", "length"}
        if folded and min(left, right) > 1:
            known.setdefault(left * right, []).append(f"{one}·{other}")
    for name, size in spoken:
        # Queries, keys and values that one layer makes.
        if name in _STACKED and 3 * size not in known:
            known[3 * size] = [f"3·{name}"]
    names: list[str] = []
    for size in shape:
        # A shape has two lengths, but no two axes of samples or of heads.
        free = (n for n in known.get(size, ()) if n not in names or not n.endswith(_ONCE))
        fresh = (name for name in known.get(size, ()) if name not in names)
        names.append(next(fresh, next(free, str(size))))
    return names
