"""Name the mistake by behaviour, and find its line in the trace.

Edited references are run with the submission's weights; the edit that reproduces its
output names the mistake. Single mistakes first, then one without a mask together with
one of the mask, then pairs. The line is where the trace first holds what the edited
reference makes and the right one does not. A mistake that does not reproduce the
numbers is never named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations, islice
from typing import Any

import torch
from torch import Tensor

from ....kata.catalogue import Kata
from ....reference.mistakes import MISTAKES, Edit, Mistake, changed_line
from ...judge import budget
from ...judge.classes.cases import GAIN, LARGE_GAIN, Case, draw_weights
from ...judge.classes.examine import Examination
from ...judge.classes.fitting import Fitted
from ...judge.classes.occasion import Occasion, arrange, hold, smallest
from ...judge.classes.plan import Size
from ...judge.classes.truth import Roles, Truth
from ...judge.compare import agree
from .. import milestones
from ..origins import Origins
from .beneath import Explained
from .diagnosis import Diagnosed, Named
from .edits import compiled, fitting
from .pointing import Observed, Pointer

__all__ = ["diagnose", "diagnose_large", "diagnose_training"]

_PAIRS = 2000
_MASK_GROUPS = {"mask"}
# How a mask of 1 and 0 is turned round before it is added.
_TURNING = {"rsub", "__rsub__", "sub", "__sub__", "__eq__", "eq", "logical_not", "__invert__"}
_KEY_MAKERS = {"linear", "matmul", "einsum", "__matmul__", "__getitem__", "narrow"}
_NEUTRAL = {
    "layer_norm": "norm-added",
    "rms_norm": "norm-added",
    "group_norm": "norm-added",
    "batch_norm": "norm-added",
    "relu": "activation-added",
    "gelu": "activation-added",
    "tanh": "activation-added",
    "silu": "activation-added",
    "elu": "activation-added",
    "leaky_relu": "activation-added",
    "sigmoid": "activation-added",
    "selu": "activation-added",
    "relu_": "activation-added",
    "mish": "activation-added",
}


def diagnose(examination: Examination, origins: Origins, *, values_wrong: bool) -> Diagnosed:
    """Return the mistakes that together reproduce the submission's outputs."""
    plain = _Search(examination, examination.fitted, (), origins)
    if values_wrong and plain.right_already():
        # Only some sizes or lengths go wrong: look where they did.
        where = smallest(examination, "values", "lengths")
        closer = where and _Search(examination, examination.fitted, (), origins, where)
        if closer is None or closer.right_already():
            return Diagnosed(named=plain.run(values_wrong=False), explained=plain.explained)
        plain = closer
    found = plain.run(values_wrong=values_wrong)
    if found or not values_wrong:
        return Diagnosed(named=found, explained=plain.explained, swapped=plain.swapped)
    return Diagnosed(named=_without_extras(plain, examination))


def diagnose_training(examination: Examination, origins: Origins) -> list[Named]:
    """Return the mistakes that train mode alone shows, dropout aside."""
    search = _Search(examination, examination.fitted, (), origins, train=True)
    if search.right_already(masked=True):
        return []
    return search.run(values_wrong=not search.right_already())


def diagnose_large(examination: Examination, origins: Origins) -> list[Named]:
    """Return the mistake that large scores alone show, as a fill that is too small for them."""
    where = smallest(examination, "stability")
    search = where and _Search(examination, examination.fitted, (), origins, where)
    if search is None or search.right_already(masked=True):
        return []
    # It gives the ordinary numbers too, from which a fill with 0 would be far.
    search.beside = _Search(examination, examination.fitted, (), origins)
    return search.run(values_wrong=not search.right_already())


def _without_extras(plain: _Search, examination: Examination) -> list[Named]:
    """Silence norms and activations; if what remains is attention, they were the mistake."""
    seen: dict[str, milestones.Step] = {}
    for step in plain.evidence[0].steps:
        if step["call"] in _NEUTRAL:
            seen.setdefault(_NEUTRAL[step["call"]], step)
    if not seen:
        return []
    by_id = {mistake.id: mistake for mistake in MISTAKES}
    for wanted in [*((one,) for one in seen), tuple(seen)]:
        skip = tuple(name for name, mistake in _NEUTRAL.items() if mistake in wanted)
        fitted = examination.fitted.silenced(skip)
        search = _Search(examination, fitted, skip, plain.origins)
        rest = [] if search.right_already() else search.run(values_wrong=True)
        if rest or search.right_already():
            extras = [
                Named(mistake=by_id[one], line=plain.origins.lined_up(seen[one])) for one in wanted
            ]
            return [*extras, *rest]
    return []


class _Search:
    """Edited references against the submission's outputs, for one way to run it."""

    def __init__(
        self,
        examination: Examination,
        fitted: Fitted,
        skip: tuple[str, ...],
        origins: Origins,
        where: tuple[Case, Size] | None = None,
        *,
        train: bool = False,
    ) -> None:
        self.examination = examination
        self.origins = origins
        self.where = where and where[0]
        self.train = train
        self.kata: Kata = examination.kata
        self.fitted = fitted
        self.skip = skip
        self.size = examination.sizes[0] if where is None else where[1]
        shapes = fitted.shapes(self.size)
        self.gain = 1.0 if where is None else where[0].gain
        gain = GAIN if self.gain == 1 else LARGE_GAIN
        self.weights = draw_weights(shapes, self.size.hidden, gain, fitted.draw) if shapes else {}
        self.evidence = self._collect()
        self.readings = self.fitted.readings(self.size)
        self.source = self.kata.solution()
        self.explained: Explained | None = None
        self.swapped: Roles | None = None
        self.singles: list[tuple[Mistake, Edit]] = []
        self.beside: _Search | None = None

    def _collect(self) -> list[Observed]:
        cross = self.examination.cross
        # Batch, heads, lengths and head_dim differ pairwise, so that shapes name the axes.
        plain = [(2, 5, 7 if cross else 5), (5, 2, 6 if cross else 2), (1, 7, 3 if cross else 7)]
        if self.where is not None:
            case = self.where
            plain = [
                (case.batch, case.queries, case.keys),
                (case.batch + 1, case.queries, case.keys),
            ]
        cases = [Case(check="", batch=b, queries=q, keys=k) for b, q, k in plain]
        if self.examination.takes_mask and self.examination.forms:
            cases.append(Case(check="", batch=2, queries=5, keys=7 if cross else 5, mask="mixed"))
            cases.append(Case(check="", batch=4, queries=6, keys=6, mask="mixed"))
        # A dropout that eval mode does not stop would hide every other mistake.
        record = {"values": True, "skip": list(self.skip), "only_dropout": []}
        cases = [replace(case, train=self.train, gain=self.gain) for case in cases]
        many = [arrange(self.examination, case, self.size) for case in cases]
        calls = [dict(one.call, record=record) for one in many]
        result = hold(self.examination, self.size, calls, self.weights, made=True)
        return [
            _observed(one, answer, result["made"])
            for one, answer in zip(many, result["answers"], strict=True)
        ]

    # -- the search --------------------------------------------------------------------

    def right_already(self, *, masked: bool = False) -> bool:
        """Whether the plain reference reproduces every output; masked ones too, if asked."""
        plain = [held for held in self.evidence if masked or held.mask is None]
        return any(self._explains((), roles, plain) for roles in self.readings)

    def run(self, *, values_wrong: bool) -> list[Named]:
        """Search, and say which mistakes were found, with their lines."""
        for roles in self.readings:
            combination = self._search(roles, values_wrong=values_wrong)
            if combination is not None:
                return self._name(combination, roles)
        if values_wrong and self.readings and not self.fitted.aligned:
            # Layers that do each other's work, beside another mistake.
            roles = _swapped(self.readings[0])
            combination = self._search(roles, values_wrong=True)
            if combination is not None:
                self.swapped = roles
                return self._name(combination, roles)
        return []

    def _search(self, roles: Roles, *, values_wrong: bool) -> list[tuple[Mistake, Edit]] | None:
        plain = [held for held in self.evidence if held.mask is None]
        masked = [held for held in self.evidence if held.mask is not None]
        bases: Iterable[list[tuple[Mistake, Edit]]] = [[]]
        if values_wrong:
            bases = self._bases(roles, plain, masked)
        first = None
        for base in bases:
            first = first if first is not None else base
            if not masked or self._explains([e for _, e in base], roles, masked):
                if base:
                    return self._likeliest(base, roles, masked)
                continue
            for added in self._mask_options():
                edits = [*(e for _, e in base), *(e for _, e in added)]
                if self._explains(edits, roles, masked):
                    named = [self._key_or_weights(one, roles) for one in base]
                    told = [self._told_apart(*one, masked[0].steps) for one in added]
                    return [*named, *told]
        return first or None

    def _bases(
        self, roles: Roles, plain: list[Observed], masked: list[Observed]
    ) -> Iterable[list[tuple[Mistake, Edit]]]:
        options = list(self._options(mask=False))
        self.singles = [o for o in options if self._explains([o[1]], roles, plain)]
        # One that explains the masked calls too needs no mistake of the mask beside it.
        self.singles.sort(key=lambda one: not self._explains([one[1]], roles, masked))
        yield from ([one] for one in self.singles)
        # What overflows gives the numbers of no pair either.
        if self.singles or self.gain != 1:
            return
        core = [o for o in options if o[0].rank < 5 and "fill-small" not in o[0].id]
        pairs = ((a, b) for a, b in combinations(core, 2) if a[0].id != b[0].id)
        # A count and not a clock, so that a seed repeats a check on a busy machine too.
        for left, right in islice(pairs, _PAIRS):
            if self._explains([left[1], right[1]], roles, plain):
                yield [left, right]

    def _mask_options(self) -> Iterator[list[tuple[Mistake, Edit]]]:
        """The mask's mistakes, then those whose fill is too small besides."""
        options = self._options(mask=True)
        yield from ([one] for one in options)
        weak = [o for o in options if o[0].id == "mask-fill-small"]
        turned = [o for o in options if o[0].id in {"mask-inverted", "mask-transposed"}]
        for one in turned:
            for other in weak:
                if compiled(self.kata, (one[1], other[1])) is not None:
                    yield [one, other]

    def _options(self, *, mask: bool) -> list[tuple[Mistake, Edit]]:
        return [
            (mistake, edit)
            for mistake, edit in fitting(self.kata, self.origins.numbers)
            if mask == (mistake.group in _MASK_GROUPS and bool(self.kata.contract.masks))
        ]

    def _explains(self, edits: Iterable[Edit], roles: Roles, evidence: list[Observed]) -> bool:
        edits = tuple(edits)
        if not self.reproduces(edits, roles, evidence):
            return False
        other = self.beside
        return other is None or any(
            other.reproduces(edits, theirs, other.evidence) for theirs in other.readings
        )

    def reproduces(self, edits: tuple[Edit, ...], roles: Roles, evidence: list[Observed]) -> bool:
        budget.spend()
        kind = compiled(self.kata, edits)
        if kind is None:
            return False
        truth = self._truth(roles)
        truth.module.__class__ = kind
        for held in evidence:
            try:
                with torch.no_grad():
                    expected = truth.run(held.inputs, held.mask)
            except RuntimeError:
                # Where both raise (a mask turned round that is not square) they agree.
                if held.out is None:
                    continue
                return False
            if held.out is None or expected.shape != held.out.shape:
                return False
            keep = None if held.keep is None else held.keep.expand(expected.shape)
            if not agree(held.out, expected, self._bound, keep):
                return False
        return any(held.out is not None for held in evidence)

    @property
    def _bound(self) -> float:
        return 1e-5 if self.fitted.work is torch.float64 else 1e-3

    def _truth(self, roles: Roles) -> Truth:
        if getattr(self, "_held", None) is None or self._held[0] is not roles:
            truth = Truth(self.kata, self.size)
            truth.load(roles, roles.flatten(self.weights))
            self._held = (roles, truth)
        return self._held[1]

    def _likeliest(
        self, base: list[tuple[Mistake, Edit]], roles: Roles, masked: list[Observed]
    ) -> list[tuple[Mistake, Edit]]:
        """Where several mistakes give the same numbers, let the trace choose."""
        if len(base) != 1:
            return [self._key_or_weights(one, roles) for one in base]
        same = [
            option
            for option in self.singles
            if option[0].id != base[0][0].id
            and (not masked or self._explains([option[1]], roles, masked))
        ]
        chosen = min([base[0], *same], key=lambda option: option[0].rank)
        return [self._told_apart(*self._key_or_weights(chosen, roles), self.evidence[0].steps)]

    def _key_or_weights(self, one: tuple[Mistake, Edit], roles: Roles) -> tuple[Mistake, Edit]:
        """Values made by the key layer and weights put on the keys agree in numbers."""
        keys_mixed = self.kata.contract.source != "cross" or "(key)" in one[1][0][1]
        if one[0].id != "weights-on-keys" and not (one[0].id == "values-from-keys" and keys_mixed):
            return one
        twice = self.origins.renamed("v", "k") is not None or self._key_made_twice(roles)
        wanted = "values-from-keys" if twice else "weights-on-keys"
        return next((o for o in fitting(self.kata, self.origins.numbers) if o[0].id == wanted), one)

    def _told_apart(
        self, mistake: Mistake, edit: Edit, steps: list[milestones.Step]
    ) -> tuple[Mistake, Edit]:
        """A fill with 0, a tiny fill and scores times mask agree in numbers; the calls differ."""
        if mistake.id == "mask-added" and any(s["call"] in _TURNING for s in steps):
            # 1 - mask, times a number: softmax does not see the shift between the two.
            return next(
                (
                    o
                    for o in fitting(self.kata, self.origins.numbers)
                    if o[0].id == "mask-fill-small"
                ),
                (mistake, edit),
            )
        if mistake.id != "mask-fill-zero":
            return mistake, edit
        fills = [s for s in steps if s["call"] in {"masked_fill", "masked_fill_", "where"}]
        tiny = any(0 < abs(n) < 1e-3 for s in fills for n in s["numbers"])
        wanted = "mask-fill-small" if tiny else "mask-fill-zero" if fills else "mask-multiplied"
        return next(
            (o for o in fitting(self.kata, self.origins.numbers) if o[0].id == wanted),
            (mistake, edit),
        )

    def _key_made_twice(self, roles: Roles) -> bool:
        held = self.evidence[0]
        truth = self._truth(roles)
        truth.module.__class__ = compiled(self.kata, ()) or type(truth.module)
        made = milestones.milestones(truth, held.inputs, held.mask)
        key = made.get("key_heads", made.get("key"))
        if key is None:
            return False
        makers = [s for s in held.steps if s["call"] in _KEY_MAKERS]
        hits = [s for s in makers if milestones.find(key, [s]) is not None]
        return len(hits) > 1

    # -- lines ---------------------------------------------------------------------------

    def _name(self, combination: list[tuple[Mistake, Edit]], roles: Roles) -> list[Named]:
        named = []
        kind = compiled(self.kata, tuple(edit for _, edit in combination))
        if kind is not None:
            self.explained = Explained(kind=kind, roles=roles, size=self.size)
        for mistake, edit in combination:
            others = [e for m, e in combination if m is not mistake]
            held = self.evidence[-1] if mistake.group == "mask" else self.evidence[0]
            truth = self._truth(roles)
            right = self._steps_of(truth, others, held)
            wrong = self._steps_of(truth, [*others, edit], held)
            line = Pointer(held, right, wrong, self.size, self.origins).line(mistake)
            reference, matches = changed_line(edit, self.source)
            named.append(Named(mistake=mistake, line=line, reference=reference, matches=matches))
        return sorted(named, key=lambda one: one.line or 0)

    def _steps_of(self, truth: Truth, edits: list[Edit], held: Observed) -> dict[str, Tensor]:
        kind = compiled(self.kata, tuple(edits))
        if kind is None:
            return {}
        truth.module.__class__ = kind
        return milestones.milestones(truth, held.inputs, held.mask)


def _observed(one: Occasion, answer: dict[str, Any], made: list[milestones.Step]) -> Observed:
    out = answer.get("out")
    return Observed(
        inputs=one.inputs,
        mask=one.mask,
        keep=one.keep,
        out=out if isinstance(out, Tensor) else None,
        steps=answer.get("steps", []),
        made=made,
    )


def _swapped(roles: Roles) -> Roles:
    return replace(roles, q=roles.k, k=roles.q, bq=roles.bk, bk=roles.bq)
