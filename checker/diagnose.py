"""Name the mistake by behaviour, and find its line in the trace.

Edited references are run with the submission's weights; the edit that reproduces its
output names the mistake. Single mistakes first, then one without a mask together with
one of the mask, then pairs. The line is where the trace first holds what the edited
reference makes and the right one does not. A mistake that does not reproduce the
numbers is never named.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from typing import Any

import torch
from torch import Tensor, nn

from ..kata.catalogue import Kata
from ..reference.mistakes import MISTAKES, Edit, Mistake, edited, fits
from . import masks, milestones, propose
from .cases import GAIN, Case, draw_weights
from .compare import gap
from .examine import Examination
from .fitting import Fitted
from .truth import Roles, Truth

__all__ = ["Named", "diagnose"]

_PAIR_SECONDS = 1.2
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
    """A mistake that reproduces the numbers: its id, line and the right line of code."""

    mistake: Mistake
    line: int | None = None
    reference: str | None = None


@dataclass(slots=True, kw_only=True)
class _Evidence:
    """What one call of the submission gave, beside its inputs."""

    inputs: dict[str, Tensor]
    mask: Tensor | None
    keep: Tensor | None
    out: Tensor | None
    steps: list[milestones.Step] = field(default_factory=list)


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

    def _collect(self) -> list[_Evidence]:
        cross = self.examination.cross
        # Batch, heads, lengths and head_dim differ pairwise, so that shapes name the axes.
        plain = [(2, 5, 7 if cross else 5), (5, 2, 6 if cross else 2), (1, 7, 3 if cross else 7)]
        cases = [Case(check="", batch=b, queries=q, keys=k) for b, q, k in plain]
        if self.examination.takes_mask and self.examination.forms:
            cases.append(
                Case(check="", batch=2, queries=5, keys=7 if cross else 5, mask="mixed")
            )
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
            for step in held.steps:
                step["signatures"] = [milestones.signature(v) for v in step.get("values", [])]
        return [held for held, _ in found]

    def _call(self, case: Case) -> tuple[_Evidence, dict[str, Any]]:
        from .cases import draw_inputs

        fitted, examination = self.fitted, self.examination
        cross = examination.cross
        inputs = draw_inputs(case, fitted.binding, cross, self.size.hidden, fitted.draw)
        mask = keep = right = None
        dressed = fitted.none_mask(case)
        if case.mask is not None:
            axes = (case.batch, self.size.heads, case.queries, case.keys)
            form, dtype = examination.telling_mask
            mask = masks.draw(case.mask, form, axes, fitted.draw)
            keep = masks.full_rows(mask, case.queries).expand(case.batch, -1, -1)
            dressed = masks.dress(mask, form, examination.convention, dtype, fitted.work)
            right = masks.for_reference(mask, self.kata.contract.masks, axes)
        shape = [case.batch, case.queries, self.size.hidden]
        call = fitted.binding.forward.call(inputs, dressed, shape=shape)
        return _Evidence(inputs=inputs, mask=right, keep=keep, out=None), call

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

    def _bases(
        self, roles: Roles, plain: list[_Evidence]
    ) -> Iterable[list[tuple[Mistake, Edit]]]:
        options = list(self._options(mask=False))
        singles = [o for o in options if self._explains([o[1]], roles, plain)]
        yield from ([one] for one in singles)
        if singles:
            return
        end = time.monotonic() + _PAIR_SECONDS
        core = [o for o in options if o[0].rank < 5 and "fill-small" not in o[0].id]
        for left, right in combinations(core, 2):
            if left[0].id == right[0].id:
                continue
            if time.monotonic() > end:
                return
            if self._explains([left[1], right[1]], roles, plain):
                yield [left, right]

    def _options(self, *, mask: bool) -> list[tuple[Mistake, Edit]]:
        return [
            (mistake, edit)
            for mistake, edit in _fitting(self.kata)
            if mask == (mistake.group in _MASK_GROUPS and bool(self.kata.contract.masks))
        ]

    def _explains(
        self, edits: Iterable[Edit], roles: Roles, evidence: list[_Evidence]
    ) -> bool:
        kind = _compiled(self.kata, tuple(edits))
        if kind is None:
            return False
        truth = self._truth(roles)
        truth.module.__class__ = kind
        for held in evidence:
            if held.out is None:
                return False
            try:
                with torch.no_grad():
                    expected = truth.run(held.inputs, held.mask)
            except RuntimeError:
                return False
            if expected.shape != held.out.shape:
                return False
            keep = None if held.keep is None else held.keep.expand(expected.shape)
            if gap(held.out, expected, self._bound, keep).wrong:
                return False
        return bool(evidence)

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
        self, base: list[tuple[Mistake, Edit]], roles: Roles, evidence: list[_Evidence]
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
        return [min(options, key=lambda option: option[0].rank)]

    def _told_apart(
        self, mistake: Mistake, edit: Edit, steps: list[milestones.Step]
    ) -> tuple[Mistake, Edit]:
        """A fill with 0, a tiny fill and scores times mask agree in numbers; the calls differ."""
        if mistake.id != "mask-fill-zero":
            return mistake, edit
        fills = [s for s in steps if s["call"] in {"masked_fill", "masked_fill_", "where"}]
        tiny = any(0 < abs(n) < 1e-3 for s in fills for n in s["numbers"])
        wanted = "mask-fill-small" if tiny else "mask-fill-zero" if fills else "mask-multiplied"
        return next((o for o in self._options(mask=True) if o[0].id == wanted), (mistake, edit))

    def _key_made_twice(self, roles: Roles) -> bool:
        held = self.evidence[0]
        truth = self._truth(roles)
        truth.module.__class__ = _compiled(self.kata, ()) or type(truth.module)
        made = milestones.milestones(truth, held.inputs, held.mask)
        key = made.get("key_heads", made.get("key"))
        if key is None:
            return False
        makers = [s for s in held.steps if s["call"] in {"linear", "matmul", "einsum", "__matmul__"}]
        hits = [s for s in makers if milestones.find(key, [s]) is not None]
        return len(hits) > 1

    # -- lines ---------------------------------------------------------------------------

    def _name(self, combination: list[tuple[Mistake, Edit]], roles: Roles) -> list[Named]:
        named = []
        for mistake, edit in combination:
            others = [e for m, e in combination if m is not mistake]
            line = self._line(mistake, edit, others, roles)
            named.append(Named(mistake=mistake, line=line, reference=_right_line(edit, self.source)))
        return sorted(named, key=lambda one: one.line or 0)

    def _line(
        self, mistake: Mistake, edit: Edit, others: list[Edit], roles: Roles
    ) -> int | None:
        held = self.evidence[-1] if mistake.group == "mask" else self.evidence[0]
        truth = self._truth(roles)
        right = self._steps_of(truth, others, held)
        wrong = self._steps_of(truth, [*others, edit], held)
        if mistake.group == "heads":
            line = self._layout_line(mistake, held)
            if line is not None:
                return line
        if mistake.id in {"mask-ignored", "causal-missing"}:
            return self._unmasked_line(held, right, wrong)
        if mistake.group == "scale":
            line = self._scaling_line(held, right, wrong)
            if line is not None:
                return line
        if mistake.id == "values-from-keys":
            return self._second_key_line(held, right)
        if mistake.id == "mask-transposed" and held.mask is not None:
            line = _turned(held)
            if line is not None:
                return line
        late = mistake.id == "mask-after-softmax"
        for name, value in wrong.items():
            if (name in right and _same(right[name], value)) or (late and "scores" in name):
                continue
            step = milestones.find(value, held.steps)
            if step is not None and step["line"] is not None:
                return step["line"]
        return None

    def _steps_of(
        self, truth: Truth, edits: list[Edit], held: _Evidence
    ) -> dict[str, Tensor]:
        kind = _compiled(self.kata, tuple(edits))
        if kind is None:
            return {}
        truth.module.__class__ = kind
        return milestones.milestones(truth, held.inputs, held.mask)

    def _scaling_line(
        self, held: _Evidence, right: dict[str, Tensor], wrong: dict[str, Tensor]
    ) -> int | None:
        """Scores scaled through the query or key: the line that scales those."""
        products, scores = right.get("products"), wrong.get("scores")
        if products is None or scores is None:
            return None
        ratio = float(scores.flatten()[0] / products.flatten()[0])
        if math.isclose(ratio, 1.0) or not math.isfinite(ratio):
            return None
        direct = milestones.find(products, held.steps)
        if direct is not None:
            return None
        for name in ("query_heads", "query", "key_heads", "key"):
            for factor in (ratio, math.copysign(abs(ratio) ** 0.5, ratio)):
                if name in right:
                    step = milestones.find(right[name] * factor, held.steps)
                    if step is not None and step["line"] is not None:
                        return step["line"]
        return None

    def _second_key_line(self, held: _Evidence, right: dict[str, Tensor]) -> int | None:
        """The later of the calls that make the key: the one that was to make the value."""
        key = right.get("key_heads", right.get("key"))
        makers = ("linear", "matmul", "einsum", "__matmul__", "chunk", "split", "__getitem__")
        if key is None:
            return None
        hits = [s for s in held.steps if s["call"] in makers and milestones.find(key, [s])]
        return hits[-1]["line"] if hits else None

    def _unmasked_line(
        self, held: _Evidence, right: dict[str, Tensor], wrong: dict[str, Tensor]
    ) -> int | None:
        """A mask made and thrown away: the line that makes it; else where softmax begins."""
        made = milestones.find(right["masked_scores"], held.steps) if "masked_scores" in right else None
        if made is None:
            made = next((s for s in held.steps if s["call"] in {"masked_fill", "where"}), None)
        if made is None:
            made = milestones.find(wrong["weights"], held.steps) if "weights" in wrong else None
        return None if made is None else made["line"]

    def _layout_line(self, mistake: Mistake, held: _Evidence) -> int | None:
        """The step that makes or merges heads in the wrong order, known by its shapes."""
        batch, length = next(iter(held.inputs.values())).shape[:2]
        heads, depth = self.size.heads, self.size.head_dim
        lengths = {tensor.shape[1] for tensor in held.inputs.values()}
        reshapes = [s for s in held.steps if s["call"] in {"view", "reshape", "unflatten", "contiguous", "flatten"}]
        if mistake.id == "heads-view-without-transpose":
            for step in reshapes:
                before = step["shapes"][0] if step["shapes"] else []
                if step["shape"] in [[batch, heads, n, depth] for n in lengths] and len(before) == 3:
                    return step["line"]
        moves = ("transpose", "permute", "swapaxes", "movedim", "swapdims", "moveaxis")
        if mistake.id == "heads-merge-wrong-axes":
            found = [s for s in held.steps if s["call"] in moves and s["line"] is not None]
            return found[-1]["line"] if found else None
        if mistake.id == "heads-merge-without-transpose":
            merged = [s for s in reshapes if s["shape"] == [batch, length, heads * depth]
                      and s["shapes"] and s["shapes"][0][-1] == depth]  # fmt: skip
            return merged[-1]["line"] if merged else None
        return None


def _turned(held: _Evidence) -> int | None:
    """The line that transposes something of the mask's size that is no float."""
    moves = ("transpose", "permute", "swapaxes", "__get__", "mT", "T", "movedim", "t")
    assert held.mask is not None
    pair = sorted(held.mask.shape[-2:])
    for step in held.steps:
        if step["call"] in moves and not step["values"] and step["shapes"]:
            if sorted(step["shapes"][0][-2:]) == pair:
                return step["line"]
    return None


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


def _right_line(edit: Edit, source: str) -> str | None:
    """The reference's own line that the edit changes first."""
    for before, after in edit:
        if before != after:
            for line in source.splitlines():
                if before in line:
                    return line.split("  #")[0].strip()
    return None


def _same(left: Tensor, right: Tensor) -> bool:
    if left.shape != right.shape:
        return False
    scale = float(left.abs().nan_to_num(0, 0, 0).max()) or 1.0
    return bool(torch.isclose(left, right, rtol=0, atol=1e-9 * scale, equal_nan=True).all())
