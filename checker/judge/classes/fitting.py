"""Make a class judgeable: know which of its weights is which, at any size."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from itertools import islice
from math import prod
from typing import Any

import torch
from torch import Tensor

from ....kata.catalogue import Kata
from ...process.handle import Candidate
from ...process.wire import dtype_name
from ..compare import VALUE_BOUND, agree
from . import align, layout, propose
from .attempts import Bound, attempt, nothing_hidden, plain_call
from .cases import Case, draw_inputs, draw_weights, later_sizes, probe_size
from .plan import Size
from .probes import probe
from .truth import Roles, Truth, numel

__all__ = ["Fitted"]

# How many ways to give the weights their roles are tried where behaviour does not tell.
_READINGS = 8
# How many derivatives one output's table may have; they are eight bytes each, and are sent over.
_ENTRIES = 2_000_000
# How many are tried before derivatives, which tell more and cost more.
_PLAIN = 4


class Fitted:
    """A class that can be made, called and given weights at any size.

    aligned: whether the roles were found by what the weights do (or reproduce the
    output), rather than only proposed by names. trouble: what kept derivatives from it.
    work: the dtype in which right and wrong are decided; float64 unless that raises.
    """

    def __init__(self, kata: Kata, candidate: Candidate, bound: Bound, seed: int) -> None:
        self.kata = kata
        self.candidate = candidate
        self.bound = bound
        self.binding = bound.binding
        self.shown = bound.shown
        self.cross = kata.contract.source == "cross"
        self.draw = torch.Generator().manual_seed(seed)
        self.work = torch.float64
        self.double_fault: dict[str, Any] | None = None
        self.fixed_heads: int | None = None
        self.aligned = False
        self.trouble: align.Unaligned | None = None
        self.layouts: dict[str, layout.Layout] | None = None
        self.proposal = 0
        self.base = probe_size(kata.contract)
        if kata.contract.heads == "many" and not self.takes_heads:
            self.base = bound.size
        self.skip: tuple[str, ...] = ()
        self.faults: dict[Size, dict[str, Any]] = {}
        self._shapes = {bound.size: _weight_shapes(bound.shown)}
        self._asked = {bound.size}
        self._roles: dict[Size, Roles | None] = {}

    @property
    def takes_heads(self) -> bool:
        """Whether the number of heads can be chosen."""
        return self.binding.takes("heads") or self.binding.takes("head_dim")

    def shapes(self, size: Size) -> dict[str, tuple[int, ...]]:
        """Name every weight, hidden ones too, with its shape at a size."""
        if size not in self._shapes:
            self.candidate.settle()
        if size not in self._shapes:
            self.foresee([size])
            self.candidate.settle()
        return self._shapes[size]

    def foresee(self, sizes: Iterable[Size]) -> None:
        """Ask for the weights' shapes at sizes that will be needed, in one go."""
        wanted = [size for size in sizes if size not in self._asked]
        self._asked.update(wanted)
        tries = [attempt(self.kata, self.binding, size) for size in wanted]

        def take(answer: dict[str, Any]) -> None:
            for size, shown in zip(wanted, answer["answers"], strict=True):
                self._shapes[size] = _weight_shapes(shown)
                if shown["phase"] != "done":
                    self.faults[size] = shown["fault"]

        if wanted:
            request = {"do": "describe", "first_good": False, "tries": tries}
            self.candidate.post(request, take)

    def silenced(self, skip: tuple[str, ...]) -> Fitted:
        """The same class with some torch calls returning their input, aligned anew."""
        other = Fitted(self.kata, self.candidate, self.bound, self.draw.initial_seed() + 1)
        other.base, other.work, other.skip = self.base, self.work, skip
        other.align()
        return other

    def elsewhere(self, candidate: Candidate, work: torch.dtype) -> Fitted:
        """The same class with the same roles, in another process and dtype."""
        other = copy.copy(self)
        other.candidate, other.work = candidate, work
        other.faults = {}
        other._shapes, other._asked, other._roles = {}, set(), dict(self._roles)  # noqa: SLF001 - of this very class
        return other

    def run(self, runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Have the candidate make several objects and call each."""
        return self.candidate.ask(self._request(runs))["results"]

    def begin(self, runs: list[dict[str, Any]], take: Callable[[list[Any]], None]) -> None:
        """The same, but the results are handed to `take` when the next are asked for."""

        def hand_over(answer: dict[str, Any]) -> None:
            take(answer["results"])

        self.candidate.post(self._request(runs), hand_over)

    def _request(self, runs: list[dict[str, Any]]) -> dict[str, Any]:
        if self.skip:
            for run in runs:
                for call in run["calls"]:
                    call.setdefault("record", {"skip": list(self.skip)})
        return {"do": "run", "runs": runs}

    def entry(
        self, size: Size, weights: dict[str, Tensor], calls: list[Any], dtype: torch.dtype
    ) -> dict[str, Any]:
        """One run of a request: an object, its weights, its calls."""
        return {
            "recipe": self.binding.recipe(size),
            "weights": weights,
            "calls": calls,
            # A plain first call, for layers that are made when they are first used.
            "warm": plain_call(self.kata, self.binding, size),
            "dtype": dtype_name(dtype),
        }

    def none_mask(self, case: Case, work: torch.dtype | None = None) -> Tensor | None:
        """What stands for no mask in a call. work: the dtype of the inputs, if another."""
        return nothing_hidden(self.binding.forward, case, work or self.work)

    def align(self) -> None:
        """Find the roles at the base size: as plain names say, by derivatives, or by names."""
        found = self._as_named(self.bound.size)
        if found is not None:
            self.base = self.bound.size
        for _ in range(2):
            found = found or self._by_derivatives(self.base)
        if found is None:
            self._by_names()
            return
        self._roles[self.base] = found
        self.layouts = layout.learn(found, self.base)
        self.aligned = True

    def _as_named(self, size: Size) -> Roles | None:
        """The likeliest reading of the names, where it reproduces the output; the common case.

        It costs one call, and derivatives some thirty backward passes. Nothing is lost by it:
        a reading that reproduces an output of random weights is what derivatives would find.
        """
        shapes = self.shapes(size)
        found = propose.proposals(shapes, size, linear=self._linear(shapes)) if shapes else ()
        readings = list(islice(found, _PLAIN))
        number = self._reproduced(readings, size)
        return None if number is None else readings[number]

    def _by_derivatives(self, size: Size) -> Roles | None:
        shapes = self.shapes(size)
        if not shapes:
            self.trouble = align.Unaligned("vo", "there are no parameters")
            return None
        weights = draw_weights(shapes, size.hidden, 0.8, self.draw)
        given = probe(self.binding, size.hidden, self.draw, cross=self.cross)
        calls = []
        for inputs in (given.single, given.pair):
            first = next(iter(inputs.values()))
            keys = list(inputs.values())[-1].shape[1]
            case = Case(check="", batch=first.shape[0], queries=first.shape[1], keys=keys)
            mask = self.none_mask(case)
            shape = [first.shape[0], first.shape[1], size.hidden]
            calls.append(self.binding.forward.call(inputs, mask, jacobian={}, shape=shape))
        result = self.run([self.entry(size, weights, calls, self.work)])[0]
        answers = result.get("answers", [result])
        fault = next((a["fault"] for a in answers if "fault" in a), None)
        if fault is not None:
            return self._without_double(size, fault)
        if not all(_jacobian_fits(a, size, shapes) for a in answers):
            self.trouble = align.Unaligned("vo", "the output has another shape")
            return None
        try:
            single, pair = answers
            roles, heads = align.identify(shapes, weights, given, single, pair, size)
        except align.Unaligned as trouble:
            self.trouble = trouble
            return None
        if heads != size.heads:
            return self._other_heads(size, heads)
        return roles

    def _without_double(self, size: Size, fault: dict[str, Any]) -> Roles | None:
        if self.work is torch.float64:
            self.double_fault = fault
            self.work = torch.float32
            return self._by_derivatives(size)
        self.trouble = align.Unaligned("vo", fault["message"])
        return None

    def _other_heads(self, size: Size, heads: int) -> Roles | None:
        """Another number of heads than asked for: right only where it cannot be chosen."""
        if self.takes_heads or size.heads != 1:
            self.trouble = align.Unaligned("heads", f"{heads} heads where {size.heads} were asked")
            return None
        self.fixed_heads = heads
        self.base = Size(hidden=size.hidden, heads=heads, block=size.block)
        return self._by_derivatives(self.base)

    def _by_names(self) -> None:
        size = self.base
        shapes = self.shapes(size)
        readings = list(propose.proposals(shapes, size))[:32]
        if not readings:
            return
        number = self._reproduced(readings, size)
        if number is not None:
            self.proposal, self.aligned = number, True
        self._roles[size] = readings[self.proposal]

    def _reproduced(self, readings: list[Roles], size: Size) -> int | None:
        """The first reading with which the reference gives the candidate's own output."""
        if not readings:
            return None
        weights = draw_weights(readings[0].shapes, size.hidden, 1.0, self.draw)
        case = Case(check="values", batch=2, queries=3, keys=4 if self.cross else 3)
        inputs = draw_inputs(case, self.binding, size.hidden, self.draw, cross=self.cross)
        call = self.binding.forward.call(inputs, self.none_mask(case), shape=[2, 3, size.hidden])
        results: list[dict[str, Any]] = []
        self.begin([self.entry(size, weights, [call], self.work)], results.extend)
        if self.takes_heads or self.kata.contract.heads == "one":
            # While the candidate makes it at these, the readings are tried here.
            self.foresee(later_sizes(self.kata.contract))
        if not results:
            self.candidate.settle()
        out = results[0].get("answers", [{}])[0].get("out")
        bound = VALUE_BOUND if self.work is torch.float64 else 1e-3
        for number, roles in enumerate(readings):
            truth = Truth(self.kata, size)
            truth.load(roles, roles.flatten(weights))
            expected = truth.run(inputs)
            comparable = isinstance(out, Tensor) and out.shape == expected.shape
            if comparable and agree(out, expected, bound):
                return number
        return None

    def roles(self, size: Size) -> Roles | None:
        """The roles at a size: carried over, found afresh, or proposed by names."""
        if size in self._roles:
            return self._roles[size]
        found = None
        base = self._roles.get(self.base)
        if self.layouts is not None and base is not None:
            found = layout.carry(self.layouts, self.shapes(size), size, base)
        elif not self.aligned or self.trouble is not None:
            readings = list(propose.proposals(self.shapes(size), size))
            found = readings[self.proposal] if self.proposal < len(readings) else None
        if found is None and self.aligned:
            found = self._by_derivatives(size)
            if (
                found is not None
                and base is not None
                and self._projects_otherwise(found, base, size)
            ):
                # With or without an output projection, but the same at every size.
                found = None
        self._roles[size] = found
        return found

    def affords(self, size: Size) -> bool:
        """Whether roles at a size are carried over, or told by a table that is not too large."""
        base = self._roles.get(self.base)
        shapes = self.shapes(size)
        if self.layouts is not None and base is not None:
            return layout.carry(self.layouts, shapes, size, base) is not None
        told_by_names = not self.aligned or self.trouble is not None
        return told_by_names or size.hidden * sum(map(prod, shapes.values())) <= _ENTRIES

    def _projects_otherwise(self, found: Roles, base: Roles, size: Size) -> bool:
        """Whether there is an output projection here and not at the base, or the other way round.

        With one head there is nothing to mix: an `nn.Identity` may stand in its place.
        """
        if (found.o is None) == (base.o is None):
            return False
        needless = found.o is None and size.heads == 1
        return not (needless and not base.parameters_of("o") & set(self.shapes(size)))

    def readings(self, size: Size) -> list[Roles]:
        """The roles, where behaviour told them; else the likeliest that names propose."""
        roles = self.roles(size) if self.aligned else None
        if roles is not None:
            return [roles]
        shapes = self.shapes(size)
        linear = self._linear(shapes)
        found = propose.proposals(shapes, size, partial=True, linear=linear) if shapes else ()
        return list(islice(found, _READINGS))

    def _linear(self, shapes: dict[str, tuple[int, ...]]) -> frozenset[str]:
        """Name the weights of `nn.Linear` layers, whose rows are known to be features."""
        layers = {name for name, kind in self.shown["modules"] if kind == "Linear"}
        return frozenset(name for name in shapes if name.rpartition(".")[0] in layers)

    def named_roles(self) -> dict[str, str]:
        """Role → the candidate's own parameter names, for the report."""
        roles = self._roles.get(self.base)
        if roles is None:
            return {}
        matrices = {r: sorted(roles.parameters_of(r)) for r in ("q", "k", "v", "o")}
        return {role: ", ".join(names) for role, names in matrices.items() if names}


def _weight_shapes(shown: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    """Every weight's shape, none where the class could not be made and called."""
    if shown["phase"] != "done":
        return {}
    return {n: tuple(shape) for n, shape in {**shown["registered"], **shown["hidden"]}.items()}


def _jacobian_fits(answer: dict[str, Any], size: Size, shapes: dict[str, Any]) -> bool:
    table, out = answer.get("jacobian"), answer.get("out")
    if not isinstance(table, Tensor) or not isinstance(out, Tensor) or out.dim() != 3:
        return False
    total = sum(numel(shape) for shape in shapes.values())
    return out.shape[-1] == size.hidden and table.shape[1:] == (size.hidden, total)
