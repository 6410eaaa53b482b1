"""What is right: the reference module with the candidate's weights, in float64 on the CPU."""

from __future__ import annotations

import inspect
import math
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module

import torch
from torch import Tensor, nn

from ....kata.catalogue import Kata
from ...process.wire import take_apart
from .plan import Size

__all__ = ["Roles", "Truth", "numel", "undrawn_weights"]


def numel(shape: tuple[int, ...]) -> int:
    """Count the entries of a tensor of this shape."""
    return math.prod(shape)


@dataclass(slots=True, kw_only=True)
class Roles:
    """Where each reference weight lies among the candidate's, as indices into one flat vector.

    The candidate's weights are laid end to end in the order of `names`. Index -1 stands
    for a weight that the candidate does not have (a bias, say): zero there.
    q, k, v: (hidden, hidden). o: (hidden, hidden) or None where there is no output
    projection; place then says to which output column each merged feature goes.
    bq, bk, bv, bo: (hidden,). A key bias changes nothing in right code, since softmax does
    not see a shift, so bk is a guess by its place; wrong code can make it count.
    """

    names: tuple[str, ...]
    shapes: dict[str, tuple[int, ...]]
    q: Tensor
    k: Tensor
    v: Tensor
    o: Tensor | None
    bq: Tensor
    bk: Tensor
    bv: Tensor
    bo: Tensor
    place: Tensor

    def flatten(self, weights: dict[str, Tensor]) -> Tensor:
        """Lay the weights end to end, with a zero after them for index -1."""
        flat = [weights[name].reshape(-1).double() for name in self.names]
        return torch.cat([*flat, torch.zeros(1, dtype=torch.float64)])

    @property
    def content(self) -> tuple[bytes, ...]:
        """Every index, so that equal roles are known to be equal."""
        indices = (
            self.q, self.k, self.v, self.o, self.bq, self.bk, self.bv, self.bo, self.place
        )  # fmt: skip
        return tuple(b"" if index is None else take_apart(index)[2] for index in indices)

    def parameters_of(self, role: str) -> set[str]:
        """Name the candidate's parameters that hold entries of a role's matrix."""
        index = getattr(self, role)
        return set() if index is None else self.owners(index)

    def owners(self, index: Tensor) -> set[str]:
        """Name the parameters in which these flat indices lie."""
        found = set()
        start = 0
        for name in self.names:
            count = numel(self.shapes[name])
            if bool(((index >= start) & (index < start + count)).any()):
                found.add(name)
            start += count
        return found


class Truth:
    """The reference at one size, ready to be given weights and inputs."""

    def __init__(self, kata: Kata, size: Size) -> None:
        self.kata = kata
        self.size = size
        kind, wanted = _reference_class(kata)
        worth = {
            "hidden_dim": size.hidden, "num_heads": size.heads, "block_size": size.block,
            "dropout": size.dropout,
        }  # fmt: skip
        self.settings = {name: worth[name] for name in wanted}
        with undrawn_weights():
            self.module = kind(**self.settings).eval()
        self.extra_output: tuple[Tensor, Tensor] | None = None

    def load(self, roles: Roles, flat: Tensor) -> None:
        """Give the reference the candidate's weights, as `roles` assigns them."""
        width = self.size.hidden
        if roles.o is None:
            output = torch.zeros(width, width, dtype=torch.float64)
            output[roles.place, torch.arange(width)] = 1.0
        else:
            output = flat[roles.o]
        matrices = {"q": flat[roles.q], "k": flat[roles.k], "v": flat[roles.v], "o": output}
        biases = {role: flat[getattr(roles, f"b{role}")] for role in "qkvo"}
        with torch.no_grad():
            for layer, stacked in self.kata.layers.items():
                linear = getattr(self.module, layer)
                linear.weight.copy_(torch.cat([matrices[role] for role in stacked]))
                linear.bias.copy_(torch.cat([biases[role] for role in stacked]))
        has_output = any("o" in stacked for stacked in self.kata.layers.values())
        self.extra_output = None
        if not has_output:
            self.extra_output = (
                matrices["o"].requires_grad_(roles.o is not None),
                biases["o"].requires_grad_(True),
            )

    def run(self, inputs: dict[str, Tensor], mask: Tensor | None = None) -> Tensor:
        """Return the right output. A mask already has the form that the kata's table names."""
        out = self.module(**self.named(inputs, mask))
        if self.extra_output is not None:
            weight, bias = self.extra_output
            out = nn.functional.linear(out, weight, bias)
        return out

    def named(self, inputs: dict[str, Tensor], mask: Tensor | None = None) -> dict[str, Tensor]:
        """Return what the reference is called with, by its own names."""
        order = [name.split("=")[0] for name in self.kata.contract.forward]
        given = (inputs[name] for name in self._order(inputs))
        named = dict(zip(order, given, strict=False))
        return named if mask is None else {**named, order[-1]: mask}

    def gradients(self, roles: Roles) -> Tensor:
        """Return the reference's weight gradients, laid out as the candidate's weights."""
        flat = torch.zeros(_length(roles) + 1, dtype=torch.float64)
        for layer, stacked in self.kata.layers.items():
            linear = getattr(self.module, layer)
            pieces = linear.weight.grad.chunk(len(stacked))
            for role, piece in zip(stacked, pieces, strict=True):
                index = getattr(roles, role)
                if index is not None:
                    flat[index] += piece
            for role, piece in zip(stacked, linear.bias.grad.chunk(len(stacked)), strict=True):
                flat[getattr(roles, f"b{role}")] += piece
        if self.extra_output is not None:
            weight, bias = self.extra_output
            if roles.o is not None and weight.grad is not None:
                flat[roles.o] += weight.grad
            if bias.grad is not None:
                flat[roles.bo] += bias.grad
        return flat[:-1]

    def _order(self, inputs: dict[str, Tensor]) -> list[str]:
        if self.kata.contract.source == "self":
            return ["x"]
        if "context" in inputs:
            return ["query", "context", "context"]
        return ["query", "key", "value"]


def _length(roles: Roles) -> int:
    return sum(numel(shape) for shape in roles.shapes.values())


@contextmanager
def undrawn_weights() -> Generator[None]:
    """Have layers made in float64, and linear ones draw no weights, since they are given some."""

    def leave(self: nn.Linear) -> None:
        """Leave the memory as it is."""

    draw, dtype = nn.Linear.reset_parameters, torch.get_default_dtype()
    nn.Linear.reset_parameters = leave
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        nn.Linear.reset_parameters = draw
        torch.set_default_dtype(dtype)


@cache
def _reference_class(kata: Kata) -> tuple[type[nn.Module], tuple[str, ...]]:
    """Import a kata's model answer; return it with its constructor's arguments."""
    module = import_module(f"....reference.{kata.reference}", __package__)
    kind = getattr(module, kata.class_name)
    return kind, tuple(inspect.signature(kind).parameters)
