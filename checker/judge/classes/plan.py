"""The sizes at which a class is tried, and one way to make and call it at each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

__all__ = ["Binding", "ForwardPlan", "Size", "StandIn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """The sizes of one configuration."""

    hidden: int
    heads: int
    block: int = 64
    dropout: float = 0.0
    batch: int = 2

    @property
    def head_dim(self) -> int:
        """Width of one head."""
        return self.hidden // self.heads


@dataclass(frozen=True, slots=True, kw_only=True)
class StandIn:
    """A mask that hides nothing, given where there is none. worth: each of its entries."""

    form: str
    dtype: str
    worth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardPlan:
    """Which input goes to which forward argument.

    sources: argument → query, key, value, context, x or a constant in a tuple of one.
    mask: the argument that takes the mask. optional: whether it has a default; without a
    mask it is left out then, and None elsewhere. stand_in: what is given in the place of
    none, to code that was found to need one. unasked: arguments without a default that are
    none of the kata's, and get nothing.
    """

    sources: tuple[tuple[str, str | tuple[Any]], ...]
    mask: str | None = None
    optional: bool = True
    stand_in: StandIn | None = None
    unasked: tuple[str, ...] = ()
    positional: tuple[str, ...] = ()

    @property
    def shared(self) -> bool:
        """Whether keys and values come from one source."""
        named = {source for _, source in self.sources if isinstance(source, str)}
        return "context" in named or "x" in named

    def call(self, inputs: dict[str, Tensor], mask: Tensor | None = None, **extra: Any) -> Any:
        """Return the call as the candidate's process takes it."""
        given: dict[str, Any] = {}
        for name, source in self.sources:
            given[name] = {"input": source} if isinstance(source, str) else source[0]
        used = {s: inputs[s] for _, s in self.sources if isinstance(s, str)}
        if self.mask is not None:
            if mask is not None:
                given[self.mask] = {"input": "mask", "keep": True, **extra.pop("mask_layout", {})}
                used["mask"] = mask
            elif not self.optional:
                given[self.mask] = None
        for name in extra.pop("strided", ()):
            for argument, value in given.items():
                if isinstance(value, dict) and value.get("input") == name:
                    given[argument] = {**value, "strided": True}
        args = [given.pop(name) for name in self.positional if name in given]
        return {"args": args, "kwargs": given, "inputs": used, **extra}


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """One way to make and call the class. switched: the switches that are off unless turned on."""

    class_name: str
    constructor: tuple[tuple[str, str], ...]
    forward: ForwardPlan
    global_roles: tuple[tuple[str, str], ...] = ()
    positional: tuple[str, ...] = ()
    annotations: dict[str, str] = field(default_factory=dict)
    causal: bool = False
    switched: tuple[str, ...] = ()

    def takes(self, role: str) -> bool:
        """Whether the constructor (or a global it reads) asks for a role."""
        roles = {r for _, r in self.constructor} | {r for _, r in self.global_roles}
        return role in roles or bool(roles & {"config", "spread"})

    def recipe(self, size: Size) -> dict[str, Any]:
        """Return how to make the object at one size."""
        worth = self._worth(size)
        kwargs = {}
        for name, role in self.constructor:
            if role == "spread":
                continue
            if role == "config":
                kwargs[name] = {"config": self.annotations.get(name, "")}
            else:
                kwargs[name] = worth[role]
        args = [kwargs.pop(name) for name in self.positional if name in kwargs]
        return {
            "class": self.class_name,
            "args": args,
            "kwargs": kwargs,
            "roles": worth,
            "spread": any(role == "spread" for _, role in self.constructor),
            "globals": {name: worth[role] for name, role in self.global_roles},
        }

    def as_written(self, size: Size) -> str:
        """The constructor's arguments, as a call would have them."""
        recipe = self.recipe(size)
        parts = [f"{name}={_plain(value)}" for name, value in recipe["kwargs"].items()]
        return ", ".join([*(_plain(value) for value in recipe["args"]), *parts])

    def _worth(self, size: Size) -> dict[str, Any]:
        return {
            "width": size.hidden,
            "heads": size.heads,
            "kv_heads": size.heads,
            "head_dim": size.head_dim,
            "inner": size.head_dim,
            "length": size.block,
            "dropout": size.dropout,
            "bias": True,
            "causal": self.causal,
            "batch": size.batch,
            "vocabulary": 17,
            "layers": 1,
            "eps": 1e-5,
            "device": {"device": "cpu"},
            "dtype": {"dtype": "float32"},
            "yes": True,
            "flag": False,
        }


def _plain(value: object) -> str:
    return "…" if isinstance(value, dict) else str(value)
