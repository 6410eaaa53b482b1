"""On which line a mistake is: where a trace first holds what the mistake makes.

The trace gives the call; the submission's source gives what the call took from
elsewhere: a scale from the constructor, a softmax's axis, a helper's argument.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import torch
from torch import Tensor

from ....reference.mistakes import Mistake
from ...judge.classes.plan import Size
from ...judge.compare import alike
from ..lines import thrown_away
from ..milestones import HIDDEN, Step, find
from ..origins import Origins

__all__ = ["Observed", "Pointer"]

_MOVES = ("transpose", "permute", "swapaxes", "movedim", "swapdims", "moveaxis", "mT", "T", "t")
_RESHAPES = {"view", "reshape", "unflatten", "contiguous", "flatten", "view_as"}
_MAKERS = ("linear", "matmul", "einsum", "__matmul__", "chunk", "split", "__getitem__", "unbind")
# Two runs of the reference differ by rounding alone.
_SAME = 1e-9
_SET_BEFORE = {"scale-by-hidden-dim", "scale-by-length", "scale-without-sqrt"}
_DRAWN = {"causal-excludes-self", "causal-sees-next", "causal-inverted"}
# The reference's steps that make query, key and value, by any of their names.
_ROLES = frozenset((
    "query", "key", "value", "queries", "keys", "values", "query_heads", "key_heads", "value_heads",
))  # fmt: skip
_SCORED = ("products", "scores", "masked_scores")
# Whose edits show first in a step that is not where the mistake is.
_BEFORE = {
    "scale-after-softmax": frozenset(_SCORED),
    "mask-after-softmax": frozenset(_SCORED),
    "heads-not-split": _ROLES,
}


@dataclass(slots=True, kw_only=True)
class Observed:
    """What one call of the submission gave, beside its inputs.

    made: the torch calls of its constructor.
    """

    inputs: dict[str, Tensor]
    mask: Tensor | None
    keep: Tensor | None
    out: Tensor | None
    steps: list[Step] = field(default_factory=list)
    made: list[Step] = field(default_factory=list)


class Pointer:
    """Finds one mistake's line in what was observed.

    right, wrong: the named steps of the reference without and with the mistake's edit.
    """

    def __init__(
        self,
        held: Observed,
        right: dict[str, Tensor],
        wrong: dict[str, Tensor],
        size: Size,
        origins: Origins,
    ) -> None:
        self.held = held
        self.right = right
        self.wrong = wrong
        self.size = size
        self.origins = origins

    def line(self, mistake: Mistake) -> int | None:
        """The line at fault, None where neither trace nor source shows it."""
        step = self._step(mistake)
        if mistake.id == "values-from-keys":
            renamed = self.origins.renamed("v", "k")
            if renamed is not None:
                return renamed
        if mistake.id == "mask-ignored" and (step is None or not _masks(step)):
            ran = {line for s in self.held.steps for line in s["lines"]}
            left_out = thrown_away(self.origins.own, ran) or self.origins.unmasked_branch(ran)
            left_out = left_out or self.origins.unmasked_call()
            if left_out is not None:
                return left_out
        if step is None or not step["lines"]:
            return None
        return self._origin(mistake, step) or step["line"]

    # -- the step ------------------------------------------------------------------------

    def _step(self, mistake: Mistake) -> Step | None:
        found = None
        if mistake.group == "heads":
            found = self._layout(mistake)
        elif mistake.id in {"mask-ignored", "causal-missing"}:
            return self._unmasked()
        elif mistake.id in _DRAWN:
            found = self._drawn()
        elif mistake.id == "softmax-missing":
            found = self._after_scores()
        elif mistake.group == "scale" and mistake.id != "scale-after-softmax":
            found = self._scaling()
        elif mistake.id == "values-from-keys":
            return self._second_key()
        elif mistake.id == "projection-unused":
            found = self._second_use()
        elif mistake.id == "mask-transposed" and self.held.mask is not None:
            found = self._turned()
        found = found or self._first_wrong(_BEFORE.get(mistake.id, frozenset()))
        return found or _departure(self.right, self.held.steps)

    def _first_wrong(self, before: frozenset[str]) -> Step | None:
        """The first step that holds what only the mistake makes.

        before: named steps that differ for the mistake, though it comes after them.
        """
        for name, value in self.wrong.items():
            same = name in self.right and alike(self.right[name], value, _SAME)
            if same or name in before:
                continue
            step = find(value, self.held.steps)
            if step is not None and step["lines"]:
                return step
        return None

    def _scaling(self) -> Step | None:
        """Scores scaled through the query or key: the step that scales those."""
        products, scores = self.right.get("products"), self.wrong.get("scores")
        if products is None or scores is None:
            return None
        ratio = float(scores.flatten()[0] / products.flatten()[0])
        if math.isclose(ratio, 1.0) or not math.isfinite(ratio):
            return None
        if find(products, self.held.steps) is not None:
            return None
        for name in ("query_heads", "query", "key_heads", "key"):
            for factor in (ratio, math.copysign(abs(ratio) ** 0.5, ratio)):
                if name in self.right:
                    step = find(self.right[name] * factor, self.held.steps)
                    if step is not None and step["lines"]:
                        return step
        return None

    def _second_key(self) -> Step | None:
        """The later of the calls that make the key: the one that was to make the value."""
        key = self.right.get("key_heads", self.right.get("key"))
        if key is None:
            return None
        hits = [s for s in self.held.steps if s["call"] in _MAKERS and find(key, [s])]
        weights = [w for s in hits for w in s["weights"]]
        uses = self._uses_of(weights)
        if len(uses) > 1:
            return self.origins.misnamed(uses, weights[0]) or uses[-1]
        return hits[-1] if hits else None

    def _second_use(self) -> Step | None:
        """Of two calls of one layer, the one whose result is called by another role's name."""
        twice = [s for s in self.held.steps if s["weights"] and s["lines"]]
        for first in twice:
            uses = self._uses_of(first["weights"][:1])
            if len(uses) > 1:
                return self.origins.misnamed(uses, first["weights"][0]) or uses[-1]
        return None

    def _uses_of(self, weights: list[str]) -> list[Step]:
        """The steps that use the same weights with the whole input, in order."""
        names = set(weights[:1])
        return [s for s in self.held.steps if names & set(s["weights"]) and s["lines"]]

    def _unmasked(self) -> Step | None:
        """A mask made and thrown away: the step that makes it; else where softmax begins."""
        made = None
        if "masked_scores" in self.right:
            made = find(self.right["masked_scores"], self.held.steps)
        if made is None:
            made = next((s for s in self.held.steps if _masks(s)), None)
        if made is None and "weights" in self.wrong:
            made = find(self.wrong["weights"], self.held.steps)
        return made

    def _drawn(self) -> Step | None:
        """Where the wrong causal mask is drawn, in the constructor or in forward."""
        scores = self.wrong.get("masked_scores")
        if scores is None or "masked_scores" not in self.right:
            return None
        wrong = _hidden(scores).flatten(0, -3)[0]
        right = _hidden(self.right["masked_scores"]).flatten(0, -3)[0]
        length = wrong.shape[-1]
        for step in (*self.held.made, *self.held.steps):
            for drawn in (*step["marks"], *step["values"]):
                if not step["lines"] or drawn.dim() < 2 or min(drawn.shape[-2:]) < length:
                    continue
                cut = drawn.flatten(0, -3)[0] if drawn.dim() > 2 else drawn
                cut = cut[:length, :length]
                for shown in (cut != 0, _hidden(cut)):
                    if _either(shown, wrong) and not _either(shown, right):
                        return step
        return None

    def _after_scores(self) -> Step | None:
        """What makes the weights otherwise; else the first step that takes the scores for them."""
        weights = self.wrong.get("weights")
        made = None if weights is None else find(weights, self.held.steps)
        if made is None or weights is None:
            return None
        scores = self.wrong.get("masked_scores", self.wrong.get("scores"))
        if scores is not None and not alike(scores, weights, _SAME):
            return made
        later = self.held.steps[_place(made, self.held.steps) + 1 :]
        return next(
            (s for s in later if s["lines"] and s["line"] != made["line"] and not _masks(s)), made
        )

    def _layout(self, mistake: Mistake) -> Step | None:
        """The step that makes or merges heads in the wrong order, known by its shapes."""
        batch, length = next(iter(self.held.inputs.values())).shape[:2]
        heads, depth = self.size.heads, self.size.head_dim
        lengths = {tensor.shape[1] for tensor in self.held.inputs.values()}
        steps = [s for s in self.held.steps if s["lines"]]
        reshapes = [s for s in steps if s["call"] in _RESHAPES]
        if mistake.id == "heads-interleaved":
            cut = [[batch, n, depth, heads] for n in lengths]
            return next((s for s in steps if s["shape"] in cut), None)
        if mistake.id == "heads-view-without-transpose":
            for step in reshapes:
                before = step["shapes"][0] if step["shapes"] else []
                if step["shape"] in [[batch, heads, n, depth] for n in lengths] and len(before) < 4:
                    return step
        if mistake.id == "heads-not-split":
            whole = [[batch, 1, n, heads * depth] for n in lengths]
            made = next((s for s in steps if s["shape"] in whole), None)
            by_width = torch.isclose(
                self.wrong["scores"] * math.sqrt(heads * depth), self.wrong["products"]
            )
            # Code that scales by the whole width too never thought of heads.
            return made or (find(self.wrong["query"], steps) if bool(by_width.all()) else None)
        if mistake.id == "heads-merge-wrong-axes":
            found = [s for s in steps if s["call"] in _MOVES]
            return found[-1] if found else None
        if mistake.id == "heads-merge-without-transpose":
            merged = [s for s in reshapes if s["shape"] == [batch, length, heads * depth]
                      and s["shapes"] and s["shapes"][0][-1] == depth]  # fmt: skip
            return merged[-1] if merged else None
        return None

    def _turned(self) -> Step | None:
        """The step that transposes something of the mask's size that is no float."""
        assert self.held.mask is not None
        pair = sorted(self.held.mask.shape[-2:])
        for step in self.held.steps:
            if step["call"] in {"__getitem__", "unsqueeze", "view", "reshape"} and any(
                m.dim() > 2 and m.shape[-1] == 1 < m.shape[-2] for m in step["marks"]
            ):
                # A key's padding, laid along the queries.
                return step
            moved = step["call"] in _MOVES and not step["values"] and step["shapes"]
            if moved and sorted(step["shapes"][0][-2:]) == pair:
                return step
        return None

    # -- where it comes from -------------------------------------------------------------

    def _origin(self, mistake: Mistake, step: Step) -> int | None:
        """The line of what the step took from elsewhere, where that is the fault."""
        lines = step["lines"]
        if mistake.group == "roles":
            if mistake.id.endswith("not-projected"):
                lines = self._where_projected(lines)
            lines = self._blamed_frames(lines)
            role = mistake.id.partition("-")[0]
            if mistake.id.endswith("not-projected"):
                return self.origins.alias(lines, role) or lines[0]
            return lines[0]
        if mistake.id in {"activation-added", "norm-added"}:
            return self.origins.lined_up(step)
        if mistake.id in _SET_BEFORE:
            return self.origins.scale(lines)
        if mistake.group == "softmax" or mistake.id == "softmax-over-heads":
            return self.origins.softmax(lines)
        if mistake.id in {"mask-fill-small", "mask-fill-zero"}:
            return self.origins.fill(lines)
        return None

    def _where_projected(self, lines: list[int]) -> list[int]:
        """Leave a helper that comes after the projections: its caller forgot one."""
        projecting = {line for s in self.held.steps if s["weights"] for line in s["lines"]}
        functions = self.origins.functions_of(projecting)
        inner = lines
        while len(inner) > 1 and not functions & self.origins.functions_of({inner[0]}):
            inner = inner[1:]
        return inner if functions & self.origins.functions_of({inner[0]}) else lines

    def _blamed_frames(self, lines: list[int]) -> list[int]:
        """Leave a helper whose line does right by another role: its caller is at fault."""
        while len(lines) > 1 and self._does_right(lines[0], len(lines)):
            lines = lines[1:]
        return lines

    def _does_right(self, line: int, depth: int) -> bool:
        others = [
            s
            for s in self.held.steps
            if len(s["lines"]) >= depth and s["lines"][len(s["lines"]) - depth] == line
        ]
        return any(
            name in self.wrong and alike(value, self.wrong[name], _SAME) and find(value, others)
            for name, value in self.right.items()
            if name in _ROLES
        )


def _departure(right: dict[str, Tensor], steps: list[Step]) -> Step | None:
    """The first step after the last that the reference takes too, where one is as large."""
    reached = -1
    wanted: Tensor | None = None
    for value in right.values():
        step = find(value, steps)
        if step is not None:
            reached, wanted = max(reached, _place(step, steps)), None
        elif wanted is None:
            wanted = value
    if wanted is None:
        return None
    for step in steps[reached + 1 :]:
        if step["lines"] and any(v.numel() == wanted.numel() for v in step["values"]):
            return step
    return None


def _place(step: Step, steps: list[Step]) -> int:
    """A step's place; steps hold tensors, so they are told apart by identity."""
    return next(place for place, one in enumerate(steps) if one is step)


def _masks(step: Step) -> bool:
    return step["call"] in {"masked_fill", "where", "masked_fill_"}


def _hidden(scores: Tensor) -> Tensor:
    return scores < HIDDEN


def _either(shown: Tensor, wanted: Tensor) -> bool:
    """Whether a mask or its opposite is the one wanted."""
    return torch.equal(shown, wanted) or torch.equal(~shown, wanted)
