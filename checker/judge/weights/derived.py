"""Weights that neither names nor shapes tell: read by what they do, at each size anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, combinations, product
from math import prod
from typing import Any

import torch
from torch import Tensor

from ....kata.arithmetic import worth
from ....kata.modules import Layer
from ...process.answers import Outcome
from ...process.handle import Candidate
from ...process.requests import Call, MakeCalls, Series
from ..compare import agree
from ..trials import Trial, answers_of
from ..truth import FAULTS, Ready
from .parameter_names import is_bias, said_by
from .refine import PROBES, assigned
from .takes import Shapes, nowhere

__all__ = ["Derived", "Objects"]

_SEED = 1
# What every weight is at first.
_LEVEL = 0.25


class Objects:
    """Objects of one size, and one call of theirs that derivatives are taken of.

    trial: that call, with the model answer's own weights. series: it, on such an
    object. shapes: those of the submission's weights.
    """

    def __init__(self, trial: Trial, series: Series, candidate: Candidate, shapes: Shapes) -> None:
        self.trial, self.series, self.candidate, self.shapes = trial, series, candidate, shapes
        self.count = sum(map(prod, shapes.values()))
        self.wanted = {name: tuple(weight.shape) for name, weight in trial.given.weights.items()}
        draw = torch.Generator().manual_seed(_SEED)
        shape = (PROBES, *trial.expected[0].shape)
        # The outputs are summed with these before derivatives are taken.
        self.sums = torch.randn(shape, generator=draw, dtype=torch.float64)

    @cached_property
    def level(self) -> Tensor | None:
        """The output where all weights are the same; None where it raises."""
        weights = torch.full((self.count,), _LEVEL, dtype=torch.float64)
        (answer,) = self._answers(weights, [self.trial.call])
        return next(iter(self.trial.results(answer)), None)

    def derivatives(self, weights: Tensor) -> Tensor | None:
        """Derivatives with respect to all weights, (probes, weights), None where it raises."""
        answers = self._answers(weights, [replace(self.trial.call, grad=one) for one in self.sums])
        if any(answer.fault is not None for answer in answers):
            return None
        return torch.stack([self._end_to_end(answer) for answer in answers])

    def agrees(self, right: Tensor | None) -> bool:
        """Whether this is the output where all weights are the same."""
        if self.level is None or right is None or self.level.shape != right.shape:
            return False
        return agree(self.level, right, self.trial.bound)

    def _answers(self, weights: Tensor, calls: list[Call]) -> list[Outcome]:
        parts = weights.split([prod(shape) for shape in self.shapes.values()])
        named = zip(self.shapes.items(), parts, strict=True)
        given = {name: part.reshape(shape) for (name, shape), part in named}
        series = replace(self.series, weights=given, calls=calls)
        result = self.candidate.ask(MakeCalls(series=[series])).results[0]
        return answers_of(result, len(calls))

    def _end_to_end(self, answer: Outcome) -> Tensor:
        grads = answer.grads
        found = [(grads.get(name), prod(shape)) for name, shape in self.shapes.items()]
        return torch.cat([torch.zeros(n) if g is None else g.double().flatten() for g, n in found])


@dataclass(frozen=True, slots=True)
class _Form:
    """Which of the model answer's weights a submission has, and what is added to its vectors."""

    names: tuple[str, ...]
    offset: float


@dataclass(slots=True, kw_only=True)
class Derived:
    """A reading of weights by derivatives.

    model: the model answer, or one with a mistake. objects: those of one size, by the sizes; None
    where there are none. close: as `assigned` has it. forms: so many
    ways to be without some biases are looked at. form: found at the first size, and held to
    at the others. found: by size, where each weight lies; None where it cannot be said there.
    """

    model: type
    layers: Sequence[Layer]
    objects: Callable[[dict[str, int]], Objects | None]
    close: float
    forms: int
    form: _Form | None = None
    found: dict[Any, dict[str, Tensor] | None] = field(default_factory=dict)

    def places(self, key: Any, sizes: dict[str, int]) -> dict[str, Tensor] | None:
        """Where each weight lies at these sizes, -1 for what the submission has not."""
        if key not in self.found:
            of_this_size = self.objects(sizes)
            self.found[key] = of_this_size and self._placed(of_this_size, sizes)
        return self.found[key]

    @property
    def offsets(self) -> dict[str, float]:
        """What is added to weights in use."""
        return dict.fromkeys(self._vectors, self.form.offset if self.form is not None else 0.0)

    @property
    def _vectors(self) -> set[str]:
        return {f"{layer.name}.weight" for layer in self.layers if len(layer.shape) == 1}

    @property
    def _optional(self) -> set[str]:
        """Matrices that a submission may be without; they are the identity then."""
        return {f"{layer.name}.weight" for layer in self.layers if layer.optional}

    def _placed(self, objects: Objects, sizes: dict[str, int]) -> dict[str, Tensor] | None:
        for form in self._forms(objects) if self.form is None else [self.form]:
            if not objects.agrees(self._level(objects, form)):
                continue
            places = self._by_derivatives(objects, form)
            if places is not None and self._holds(places, objects, sizes):
                self.form = form
                return places
        return None

    def _forms(self, objects: Objects) -> Iterator[_Form]:
        """Yield which biases there may be: those that leave no parameter unused first."""
        biases = [name for name in objects.wanted if name.endswith(".bias")]
        biases += [name for name in objects.wanted if name in self._optional]
        rest = [name for name in objects.wanted if name not in biases]
        room = objects.count - sum(prod(objects.wanted[n]) for n in rest)
        some = chain.from_iterable(combinations(biases, n) for n in range(len(biases), -1, -1))
        left = {one: room - sum(prod(objects.wanted[n]) for n in one) for one in some}
        fitting = sorted((one for one, over in left.items() if over >= 0), key=left.__getitem__)
        offsets = (0.0, 1.0) if self._vectors else (0.0,)
        for some_biases, offset in product(fitting[: self.forms], offsets):
            names = tuple(name for name in objects.wanted if name in rest or name in some_biases)
            yield _Form(names, offset)

    def _by_derivatives(self, objects: Objects, form: _Form) -> dict[str, Tensor] | None:
        sizes = [prod(objects.wanted[name]) for name in form.names]

        def right(flat: Tensor) -> Tensor | None:
            leaf = flat.clone().requires_grad_(True)
            out = self._output(objects, form, leaf.split(sizes))
            if out is None or not out.requires_grad:
                return None
            derivatives = [
                torch.autograd.grad((out * one).sum(), leaf, retain_graph=True)[0]
                for one in objects.sums
            ]
            return torch.stack(derivatives)

        sides = objects.count, sum(sizes)
        places = assigned(objects.derivatives, right, sides, close=self.close, seed=_SEED)
        if places is None:
            return None
        found = dict(zip(form.names, places.split(sizes), strict=True))
        return {
            name: found[name].reshape(shape) if name in found
            else nowhere(shape, optional=name in self._optional)
            for name, shape in objects.wanted.items()
        }  # fmt: skip

    def _level(self, objects: Objects, form: _Form) -> Tensor | None:
        parts = [torch.full(objects.wanted[n], _LEVEL).double() for n in form.names]
        with torch.no_grad():
            return self._output(objects, form, parts)

    def _output(self, objects: Objects, form: _Form, parts: Sequence[Tensor]) -> Tensor | None:
        """Call the model answer; weights that the submission has not are zero."""
        weights = {
            n: torch.eye(*shape).double() if n in self._optional else torch.zeros(shape).double()
            for n, shape in objects.wanted.items()
        }
        for name, part in zip(form.names, parts, strict=True):
            added = form.offset if name in self._vectors else 0.0
            weights[name] = part.reshape(objects.wanted[name]) + added
        given = objects.trial.given
        try:
            made = Ready(self.model, replace(given, weights=weights))
            result = made(**given.handed)
        except FAULTS:
            return None
        return result[0] if isinstance(result, tuple) else result

    def _holds(self, places: dict[str, Tensor], objects: Objects, sizes: dict[str, int]) -> bool:
        """Whether features lie in the order asked for, and layers make what they are called for.

        Weights in another order are another layer's weights for whoever loads trained ones.
        """
        present = ((name, where) for name, where in places.items() if not bool((where == -2).any()))
        ordered = all(_in_order(name, where) for name, where in present)
        return ordered and self._as_named(places, objects, sizes)

    def _as_named(self, places: dict[str, Tensor], objects: Objects, sizes: dict[str, int]) -> bool:
        wanted = {one.name: prod(worth(axis, sizes) for axis in one.shape) for one in self.layers}
        holders = self.holders(places, objects.shapes)
        for name, shape in objects.shapes.items():
            said = said_by(name, self.layers)
            plain = sum(wanted[layer] for layer in said) == prod(shape)
            if said and plain and not is_bias(name, len(shape), self.layers):
                held = {layer for layer, names in holders.items() if name in names}
                if held and held != {*said}:
                    return False
        return True

    @staticmethod
    def holders(places: dict[str, Tensor], shapes: Shapes) -> dict[str, list[str]]:
        """The model answer's layers, each with the parameters that hold some of it."""
        ends = torch.tensor([prod(shape) for shape in shapes.values()]).cumsum(0)
        names = [*shapes]
        found: dict[str, list[str]] = {}
        for name, where in places.items():
            owners = torch.bucketize(where[where >= 0], ends, right=True).unique().tolist()
            held = found.setdefault(name.rpartition(".")[0], [])
            held += [names[at] for at in owners if names[at] not in held]
        return found


def _in_order(name: str, where: Tensor) -> bool:
    """Whether rows and columns follow each other as they do in the model answer."""
    if bool((where < 0).any()):
        # Of a bias that changes nothing, as a key's, it cannot be told where it lies.
        return name.endswith(".bias")
    return all(bool((where.diff(dim=axis) > 0).all()) for axis in range(where.dim()))
