"""Make a class judgeable: find how it is made and called, and which weight is which."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch
from torch import Tensor

from ..kata.catalogue import Kata
from . import align, layout, propose
from .bind import bindings
from .cases import Case, draw_inputs, draw_weights, probe_size
from .compare import VALUE_BOUND, gap
from .plan import Binding, Size
from .probes import probe
from .process import Candidate
from .truth import Roles, Truth, numel
from .wire import dtype_name

__all__ = ["Bound", "Fitted", "Unbound", "bind", "plain_call"]

_TRIES = 24
# How many ways to give the weights their roles are tried where behaviour does not tell.
_READINGS = 8
_FITS = 5


class Unbound(Exception):
    """No way to make and call the class was found. best: how far the best try came."""

    def __init__(self, best: dict[str, Any], binding: Binding, size: Size) -> None:
        super().__init__(best.get("phase", ""))
        self.best = best
        self.binding = binding
        self.size = size


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A binding that runs, the size it was tried at, and what it showed."""

    binding: Binding
    size: Size
    shown: dict[str, Any]


def bind(
    kata: Kata, candidate: Candidate, entry: dict[str, Any], sizes: list[dict[str, Any]]
) -> Iterator[Bound]:
    """Yield ways to make and call a class that give an output of the right shape.

    The first is the likeliest; the others serve where its weights make no attention.
    Raises Unbound with the try that came furthest where there is none.
    """
    tries = [
        (binding, size)
        for binding in islice(bindings(entry, sizes, kata.contract), _TRIES)
        for size in _describing_sizes(kata, binding)
    ]
    best: tuple[int, dict[str, Any], Binding, Size] | None = None
    fitting = 0
    while tries:
        attempts = [_attempt(b, size, plain_call(kata, b, size)) for b, size in tries]
        request = {"do": "describe", "first_good": True, "tries": attempts}
        answers = candidate.ask(request)["answers"]
        for (binding, size), answer in zip(tries, answers, strict=False):
            if _rank(answer) == _FITS:
                fitting += 1
                yield Bound(binding=binding, size=size, shown=answer)
            elif best is None or _rank(answer) > best[0]:
                best = (_rank(answer), answer, binding, size)
        tries = tries[len(answers) :]
    if not fitting and best is not None:
        _, answer, binding, size = best
        raise Unbound(answer, binding, size)


def _describing_sizes(kata: Kata, binding: Binding) -> list[Size]:
    if kata.contract.heads == "one":
        return [Size(hidden=6, heads=1)]
    if binding.takes("heads") or binding.takes("head_dim"):
        return [Size(hidden=12, heads=3), Size(hidden=16, heads=4)]
    # The number of heads is written into the class: try widths that common numbers divide.
    return [Size(hidden=width, heads=1) for width in (16, 24, 32, 64)]


def _rank(answer: dict[str, Any]) -> int:
    if answer["phase"] == "construct":
        return 0
    if answer["phase"] == "forward":
        return 1
    if answer["fits"]:
        return _FITS
    return 3 if isinstance(answer["answer"]["out"], Tensor) else 2


def plain_call(kata: Kata, binding: Binding, size: Size) -> dict[str, Any]:
    """The first plain call: small, float32, no mask."""
    cross = kata.contract.source == "cross"
    case = Case(check="shape", batch=2, queries=5, keys=7 if cross else 5)
    inputs = draw_inputs(case, binding, size.hidden, torch.Generator().manual_seed(1), cross=cross)
    mask = _ones(kata, case) if binding.forward.no_mask == "ones" else None
    return binding.forward.call(inputs, mask, shape=[2, 5, size.hidden])


def _ones(kata: Kata, case: Case) -> Tensor | None:
    """A mask that hides nothing, for code that cannot do without one."""
    if not kata.contract.masks:
        return None
    wide = {"B": case.batch, "H": 1, "Q": case.queries, "K": case.keys, "1": 1}
    return torch.ones([wide[axis] for axis in kata.contract.masks[-1]], dtype=torch.int64)


def _attempt(binding: Binding, size: Size, call: dict[str, Any]) -> dict[str, Any]:
    """One entry of a describe request."""
    return {"recipe": binding.recipe(size), "call": call, "dtype": "float32"}


class Fitted:
    """A class that can be made, called and given weights at any size.

    aligned: whether the roles were found by what the weights do (or reproduce the
    output), rather than only proposed by names. trouble: what kept derivatives from it.
    work: the dtype in which right and wrong are decided; float64 unless that raises.
    """

    def __init__(self, kata: Kata, candidate: Candidate, bound: Bound, seed: int) -> None:
        self.kata = kata
        self.candidate = candidate
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
        self._shapes: dict[Size, dict[str, tuple[int, ...]]] = {}
        self._roles: dict[Size, Roles | None] = {}

    @property
    def takes_heads(self) -> bool:
        """Whether the number of heads can be chosen."""
        return self.binding.takes("heads") or self.binding.takes("head_dim")

    def shapes(self, size: Size) -> dict[str, tuple[int, ...]]:
        """Name every weight, hidden ones too, with its shape at a size."""
        if size not in self._shapes:
            self.describe([size])
        return self._shapes[size]

    def describe(self, sizes: list[Size]) -> None:
        """Ask for the weights' shapes at several sizes in one go."""
        tries = [
            _attempt(self.binding, size, plain_call(self.kata, self.binding, size))
            for size in sizes
        ]
        request = {"do": "describe", "first_good": False, "tries": tries}
        for size, answer in zip(sizes, self.candidate.ask(request)["answers"], strict=True):
            if answer["phase"] == "done":
                found = {**answer["registered"], **answer["hidden"]}
                self._shapes[size] = {name: tuple(shape) for name, shape in found.items()}
            else:
                self._shapes[size] = {}
                self.faults[size] = answer["fault"]

    def silenced(self, skip: tuple[str, ...]) -> Fitted:
        """The same class with some torch calls returning their input, aligned anew."""
        bound = Bound(binding=self.binding, size=self.base, shown=self.shown)
        other = Fitted(self.kata, self.candidate, bound, self.draw.initial_seed() + 1)
        other.base, other.work, other.skip = self.base, self.work, skip
        other.align()
        return other

    def elsewhere(self, candidate: Candidate, work: torch.dtype) -> Fitted:
        """The same class with the same roles, in another process and dtype."""
        other = copy.copy(self)
        other.candidate, other.work = candidate, work
        other.faults = {}
        other._shapes, other._roles = {}, dict(self._roles)  # noqa: SLF001 - of this very class
        return other

    def run(self, runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Have the candidate make several objects and call each."""
        self.start(runs)
        return self.finish()

    def finish(self) -> list[dict[str, Any]]:
        """Return what the runs that were started gave."""
        return self.candidate.collect()["results"]

    def start(self, runs: list[dict[str, Any]]) -> None:
        """Have the candidate begin, while the judge works out what is right."""
        if self.skip:
            for run in runs:
                for call in run["calls"]:
                    call.setdefault("record", {"skip": list(self.skip)})
        self.candidate.post({"do": "run", "runs": runs})

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

    def none_mask(self, case: Case) -> Tensor | None:
        """What stands for no mask in a call."""
        if self.binding.forward.no_mask != "ones":
            return None
        return _ones(self.kata, case)

    def align(self) -> None:
        """Find the roles at the base size, by derivatives or else by names."""
        for _ in range(2):
            found = self._by_derivatives(self.base)
            if found is not None:
                self._roles[self.base] = found
                self.layouts = layout.learn(found, self.base)
                self.aligned = True
                return
        self._by_names()

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
        weights = draw_weights(shapes, size.hidden, 1.0, self.draw)
        case = Case(check="values", batch=2, queries=3, keys=4 if self.cross else 3)
        inputs = draw_inputs(case, self.binding, size.hidden, self.draw, cross=self.cross)
        call = self.binding.forward.call(inputs, self.none_mask(case), shape=[2, 3, size.hidden])
        result = self.run([self.entry(size, weights, [call], self.work)])[0]
        out = result.get("answers", [{}])[0].get("out")
        bound = VALUE_BOUND if self.work is torch.float64 else 1e-3
        for number, roles in enumerate(readings):
            truth = Truth(self.kata, size)
            truth.load(roles, roles.flatten(weights))
            expected = truth.run(inputs)
            comparable = isinstance(out, Tensor) and out.shape == expected.shape
            if comparable and gap(out, expected, bound).wrong == 0:
                self.proposal, self.aligned = number, True
                break
        self._roles[size] = readings[self.proposal]

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
            if found is not None and base is not None and (found.o is None) != (base.o is None):
                # With or without an output projection, but the same at every size.
                found = None
        self._roles[size] = found
        return found

    def readings(self, size: Size) -> list[Roles]:
        """The roles, where behaviour told them; else the likeliest that names propose."""
        roles = self.roles(size) if self.aligned else None
        if roles is not None:
            return [roles]
        shapes = self.shapes(size)
        layers = {name for name, kind in self.shown["modules"] if kind == "Linear"}
        linear = frozenset(n for n in shapes if n.rpartition(".")[0] in layers)
        found = propose.proposals(shapes, size, partial=True, linear=linear) if shapes else ()
        return list(islice(found, _READINGS))

    def truth(self, size: Size, weights: dict[str, Tensor]) -> Truth | None:
        """The reference with these weights, or None where no roles are known."""
        roles = self.roles(size)
        if roles is None:
            return None
        truth = Truth(self.kata, size)
        truth.load(roles, roles.flatten(weights))
        return truth

    def named_roles(self) -> dict[str, str]:
        """Role → the candidate's own parameter names, for the report."""
        roles = self._roles.get(self.base)
        if roles is None:
            return {}
        matrices = {r: sorted(roles.parameters_of(r)) for r in ("q", "k", "v", "o")}
        return {role: ", ".join(names) for role, names in matrices.items() if names}


def _jacobian_fits(answer: dict[str, Any], size: Size, shapes: dict[str, Any]) -> bool:
    table, out = answer.get("jacobian"), answer.get("out")
    if not isinstance(table, Tensor) or not isinstance(out, Tensor) or out.dim() != 3:
        return False
    total = sum(numel(shape) for shape in shapes.values())
    return out.shape[-1] == size.hidden and table.shape[1:] == (size.hidden, total)
