"""Name the mistake by behaviour, and find its line in the trace.

Edited references are run with the submission's weights; the edit that reproduces its
output names the mistake. Single mistakes first, then one without a mask together with
one of the mask, then pairs. The line is where the trace first holds what the edited
reference makes and the right one does not. A mistake that does not reproduce the
numbers is never named.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import combinations, islice
from typing import Any

import torch
from torch import Tensor, nn

from ..kata.catalogue import Kata
from ..reference.mistakes import MISTAKES, Edit, Mistake, changed_line, edited, fits
from . import milestones, propose
from .cases import GAIN, Case, draw_inputs, draw_weights
from .compare import gap
from .examine import Examination
from .fitting import Fitted
from .pointing import Observed, point
from .truth import Roles, Truth

__all__ = ["Named", "diagnose"]

_PAIRS = 2000
_MASK_GROUPS = {"mask"}
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


@dataclass(slots=True, kw_only=True)
class Named:
    """A mistake that reproduces the numbers: its id, its line, and a line of the reference.

    reference: that line as it is right. matches: as the mistake writes it.
    """

    mistake: Mistake
    line: int | None = None
    reference: str | None = None
    matches: str | None = None


def diagnose(examination: Examination, *, values_wrong: bool) -> list[Named]:
    """Return the mistakes that together reproduce the submission's outputs."""
    found = _Search(examination, examination.fitted, ()).run(values_wrong=values_wrong)
    if found or not values_wrong:
        return found
    return _without_extras(examination)


def _without_extras(examination: Examination) -> list[Named]:
    """Silence norms and activations; if what remains is attention, they were the mistake."""
    plain = _Search(examination, examination.fitted, ())
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
        search = _Search(examination, fitted, skip)
        rest = [] if search.right_already() else search.run(values_wrong=True)
        if rest or search.right_already():
            extras = [Named(mistake=by_id[one], line=seen[one]["line"]) for one in wanted]
            return [*extras, *rest]
    return []


class _Search:
    """Edited references against the submission's outputs, for one way to run it."""

    def __init__(self, examination: Examination, fitted: Fitted, skip: tuple[str, ...]) -> None:
        self.examination = examination
        self.kata: Kata = examination.kata
        self.fitted = fitted
        self.skip = skip
        self.size = examination.sizes[0]
        shapes = fitted.shapes(self.size)
        self.weights = draw_weights(shapes, self.size.hidden, GAIN, fitted.draw) if shapes else {}
        self.evidence = self._collect()
        self.readings = self._readings(shapes)
        self.source = self.kata.solution()

    def _readings(self, shapes: dict[str, tuple[int, ...]]) -> list[Roles]:
        roles = self.fitted.roles(self.size) if self.fitted.aligned else None
        if roles is not None:
            return [roles]
        return list(propose.proposals(shapes, self.size, partial=True))[:8] if shapes else []

    def _collect(self) -> list[Observed]:
        cross = self.examination.cross
        # Batch, heads, lengths and head_dim differ pairwise, so that shapes name the axes.
        plain = [(2, 5, 7 if cross else 5), (5, 2, 6 if cross else 2), (1, 7, 3 if cross else 7)]
        cases = [Case(check="", batch=b, queries=q, keys=k) for b, q, k in plain]
        if self.examination.takes_mask and self.examination.forms:
            cases.append(Case(check="", batch=2, queries=5, keys=7 if cross else 5, mask="mixed"))
            cases.append(Case(check="", batch=4, queries=6, keys=6, mask="mixed"))
        found = [self._call(case) for case in cases]
        record = {"values": True, "skip": list(self.skip)}
        calls = [dict(call, record=record) for _, call in found]
        run = self.fitted.entry(self.size, self.weights, calls, self.fitted.work)
        answers = self.fitted.run([run])[0].get("answers", [{}] * len(calls))
        for (held, _), answer in zip(found, answers, strict=True):
            out = answer.get("out")
            held.out = out if isinstance(out, Tensor) else None
            held.steps = answer.get("steps", [])
        return [held for held, _ in found]

    def _call(self, case: Case) -> tuple[Observed, dict[str, Any]]:
        fitted, examination = self.fitted, self.examination
        cross = examination.cross
        inputs = draw_inputs(case, fitted.binding, self.size.hidden, fitted.draw, cross=cross)
        form, mask_dtype = examination.telling_mask if case.mask else ("", torch.int64)
        right, keep, dressed = examination.draw_mask(case, self.size, form, mask_dtype, fitted.work)
        shape = [case.batch, case.queries, self.size.hidden]
        call = fitted.binding.forward.call(inputs, dressed, shape=shape)
        return Observed(inputs=inputs, mask=right, keep=keep, out=None), call

    # -- the search --------------------------------------------------------------------

    def right_already(self) -> bool:
        """Whether the plain reference reproduces every output."""
        return any(self._explains((), roles, self.evidence) for roles in self.readings)

    def run(self, *, values_wrong: bool) -> list[Named]:
        """Search, and say which mistakes were found, with their lines."""
        for roles in self.readings:
            combination = self._search(roles, values_wrong=values_wrong)
            if combination is not None:
                return self._name(combination, roles)
        return []

    def _search(self, roles: Roles, *, values_wrong: bool) -> list[tuple[Mistake, Edit]] | None:
        plain = [held for held in self.evidence if held.mask is None]
        masked = [held for held in self.evidence if held.mask is not None]
        bases: Iterable[list[tuple[Mistake, Edit]]] = [[]]
        if values_wrong:
            bases = self._bases(roles, plain)
        first = None
        for base in bases:
            first = first if first is not None else base
            if not masked or self._explains([e for _, e in base], roles, masked):
                if base:
                    return self._likeliest(base, roles, [*plain, *masked])
                continue
            for mistake, edit in self._options(mask=True):
                edits = [*(e for _, e in base), edit]
                if self._explains(edits, roles, masked):
                    return [*base, self._told_apart(mistake, edit, masked[0].steps)]
        return first or None

    def _bases(self, roles: Roles, plain: list[Observed]) -> Iterable[list[tuple[Mistake, Edit]]]:
        options = list(self._options(mask=False))
        singles = [o for o in options if self._explains([o[1]], roles, plain)]
        yield from ([one] for one in singles)
        if singles:
            return
        core = [o for o in options if o[0].rank < 5 and "fill-small" not in o[0].id]
        pairs = ((a, b) for a, b in combinations(core, 2) if a[0].id != b[0].id)
        # A count and not a clock, so that a seed repeats a check on a busy machine too.
        for left, right in islice(pairs, _PAIRS):
            if self._explains([left[1], right[1]], roles, plain):
                yield [left, right]

    def _options(self, *, mask: bool) -> list[tuple[Mistake, Edit]]:
        return [
            (mistake, edit)
            for mistake, edit in _fitting(self.kata)
            if mask == (mistake.group in _MASK_GROUPS and bool(self.kata.contract.masks))
        ]

    def _explains(self, edits: Iterable[Edit], roles: Roles, evidence: list[Observed]) -> bool:
        kind = _compiled(self.kata, tuple(edits))
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
            if gap(held.out, expected, self._bound, keep).wrong:
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
        self, base: list[tuple[Mistake, Edit]], roles: Roles, evidence: list[Observed]
    ) -> list[tuple[Mistake, Edit]]:
        """Where several mistakes give the same numbers, let the trace choose."""
        if len(base) != 1:
            return base
        same = [
            option
            for option in _fitting(self.kata)
            if option[0].id != base[0][0].id and self._explains([option[1]], roles, evidence)
        ]
        options = [base[0], *same]
        ids = {mistake.id for mistake, _ in options}
        if {"values-from-keys", "weights-on-keys"} <= ids:
            wanted = "values-from-keys" if self._key_made_twice(roles) else "weights-on-keys"
            return [next(o for o in options if o[0].id == wanted)]
        chosen = min(options, key=lambda option: option[0].rank)
        return [self._told_apart(*chosen, evidence[0].steps)]

    def _told_apart(
        self, mistake: Mistake, edit: Edit, steps: list[milestones.Step]
    ) -> tuple[Mistake, Edit]:
        """A fill with 0, a tiny fill and scores times mask agree in numbers; the calls differ."""
        if mistake.id != "mask-fill-zero":
            return mistake, edit
        fills = [s for s in steps if s["call"] in {"masked_fill", "masked_fill_", "where"}]
        tiny = any(0 < abs(n) < 1e-3 for s in fills for n in s["numbers"])
        wanted = "mask-fill-small" if tiny else "mask-fill-zero" if fills else "mask-multiplied"
        return next((o for o in _fitting(self.kata) if o[0].id == wanted), (mistake, edit))

    def _key_made_twice(self, roles: Roles) -> bool:
        held = self.evidence[0]
        truth = self._truth(roles)
        truth.module.__class__ = _compiled(self.kata, ()) or type(truth.module)
        made = milestones.milestones(truth, held.inputs, held.mask)
        key = made.get("key_heads", made.get("key"))
        if key is None:
            return False
        makers = [
            s for s in held.steps if s["call"] in {"linear", "matmul", "einsum", "__matmul__"}
        ]
        hits = [s for s in makers if milestones.find(key, [s]) is not None]
        return len(hits) > 1

    # -- lines ---------------------------------------------------------------------------

    def _name(self, combination: list[tuple[Mistake, Edit]], roles: Roles) -> list[Named]:
        named = []
        for mistake, edit in combination:
            others = [e for m, e in combination if m is not mistake]
            held = self.evidence[-1] if mistake.group == "mask" else self.evidence[0]
            truth = self._truth(roles)
            right = self._steps_of(truth, others, held)
            wrong = self._steps_of(truth, [*others, edit], held)
            line = point(mistake, held, right, wrong, self.size)
            reference, matches = changed_line(edit, self.source)
            named.append(Named(mistake=mistake, line=line, reference=reference, matches=matches))
        return sorted(named, key=lambda one: one.line or 0)

    def _steps_of(self, truth: Truth, edits: list[Edit], held: Observed) -> dict[str, Tensor]:
        kind = _compiled(self.kata, tuple(edits))
        if kind is None:
            return {}
        truth.module.__class__ = kind
        return milestones.milestones(truth, held.inputs, held.mask)


@cache
def _fitting(kata: Kata) -> list[tuple[Mistake, Edit]]:
    source = kata.solution()
    found = [
        (mistake, edit)
        for mistake in MISTAKES
        for edit in mistake.edits
        if edit and fits(edit, source)
    ]
    return sorted(found, key=lambda pair: pair[0].rank)


@cache
def _compiled(kata: Kata, edits: tuple[Edit, ...]) -> type[nn.Module] | None:
    """Compile an edited reference; None where the edits do not go together."""
    source = kata.solution()
    for edit in edits:
        if not fits(edit, source):
            return None
        source = edited(edit, source)
    namespace: dict[str, Any] = {"__name__": f"edited_{kata.id}", "torch": torch}
    exec(compile(source, f"<edited {kata.id}>", "exec"), namespace)  # noqa: S102 - our own text
    return namespace[kata.class_name]
