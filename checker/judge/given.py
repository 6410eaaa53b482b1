"""What a call is given: its arguments, and what the object that is called is made with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from ..candidate.stand_in import stand_in
from ..process.laid import Lies, strided

__all__ = ["Given"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The arguments of one call by name. A mask is True where one may attend.

    tensors: in float64 where they hold floats. plain: what is no tensor. left: those that are
    left out. Of an object settings and weights are what it is made with, the weights by the
    model answer's names. stacks: the layers that it holds in one. state: the argument that takes
    what an earlier call gave back, which lies under the name `carried` ("" for none); what this
    one gives back is kept under `kept`. before: the calls on the same object before this one.
    twice: arguments given another's tensor. models: of the tensors those that are the weights of
    a model, and of which kind it is.
    """

    tensors: dict[str, Tensor]
    plain: dict[str, Any]
    left: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)
    weights: dict[str, Tensor] = field(default_factory=dict)
    stacks: dict[str, tuple[str, ...]] = field(default_factory=dict)
    twice: dict[str, str] = field(default_factory=dict)
    state: str = ""
    carried: str = ""
    kept: str = ""
    before: tuple[Given, ...] = ()
    models: dict[str, str] = field(default_factory=dict)

    @property
    def handed(self) -> dict[str, Any]:
        """All arguments as the model answer gets them."""
        twice = {name: self.tensors[source] for name, source in self.twice.items()}
        made = {name: stand_in(self.tensors[name], kind) for name, kind in self.models.items()}
        return {**self.tensors, **self.plain, **twice, **made}

    def rounded(self, dtype: torch.dtype) -> Given:
        """The same, in what a dtype can hold."""
        return self.within(dtype).within(torch.float64)

    def otherwise(self) -> Given:
        """The same with other values in every tensor, to see what depends on them."""

        def turned(tensor: Tensor) -> Tensor:
            if tensor.dtype is torch.bool:
                return ~tensor
            return tensor * 1.5 + 0.25 if tensor.is_floating_point() else tensor + 1

        tensors = {name: turned(tensor) for name, tensor in self.tensors.items()}
        before = tuple(earlier.otherwise() for earlier in self.before)
        return replace(self, tensors=tensors, before=before)

    @property
    def held(self) -> dict[str, Tensor]:
        """The weights by the model answer's parameters, those that it stacks as one."""
        found = dict(self.weights)
        for name, layers in self.stacks.items():
            for leaf in ("weight", "bias"):
                parts = [found.pop(f"{layer}.{leaf}") for layer in layers]
                found[f"{name}.{leaf}"] = torch.cat(parts)
        return found

    def cut(self, axis: str, start: int, length: int, axes: Mapping[str, tuple[str, ...]]) -> Given:
        """The same in a stretch of an axis, in each tensor whose axes have it."""
        tensors = {
            name: t.narrow(axes[name].index(axis), start, length) if axis in axes[name] else t
            for name, t in self.tensors.items()
        }
        return replace(self, tensors=tensors)

    def strided(self, lies: Mapping[str, Lies]) -> Given:
        """The same on memory that is not contiguous, by tensor."""
        laid = {n: strided(self.tensors[n], how) for n, how in lies.items() if how}
        return replace(self, tensors={**self.tensors, **laid})

    def within(self, dtype: torch.dtype) -> Given:
        """The same, its floats and the weights in a dtype."""

        def held(many: Mapping[str, Tensor]) -> dict[str, Tensor]:
            return {n: t.to(dtype) if t.is_floating_point() else t for n, t in many.items()}

        before = tuple(earlier.within(dtype) for earlier in self.before)
        return replace(self, tensors=held(self.tensors), weights=held(self.weights), before=before)
