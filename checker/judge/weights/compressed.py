"""Queries that are made in two steps, as in DeepSeek-V2, read off the names of the layers."""

from __future__ import annotations

from collections.abc import Sequence

from ....kata.modules import Layer
from ...vocabulary import words

__all__ = ["compressed"]

# What people call the two halves of a low-rank projection of the queries.
_DOWN = ({"q", "a"}, {"wq", "a"}, {"q", "down"}, {"wdq"}, {"dq"}, {"w", "dq"}, {"query", "down"})
_PLAIN = {"proj", "layer", "linear", "lora"}
_UP = ({"q", "b"}, {"wq", "b"}, {"q", "up"}, {"wuq"}, {"uq"}, {"w", "uq"}, {"query", "up"})


def compressed(shapes: dict[str, tuple[int, ...]], layers: Sequence[Layer]) -> list[str]:
    """The layers that compress and expand the queries, where the kata has a latent of its own."""
    thick = [name.removesuffix(".weight") for name, shape in shapes.items() if len(shape) > 1]
    said = {name: set(words(name.split(".")[-1])) - _PLAIN for name in thick}
    down = [f"`{name}`" for name, have in said.items() if have in _DOWN]
    up = [f"`{name}`" for name, have in said.items() if have in _UP]
    latent = any(layer.name == "kv_down" for layer in layers)
    return [*down[:1], *up[:1]] if down and up and latent else []
