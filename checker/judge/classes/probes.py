"""The inputs at which derivatives are taken, to find which weight is which."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from .plan import Binding

__all__ = ["Probe", "probe"]

_SAMPLES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What the derivative run is given: inputs for one key and for two, all float64.

    single, pair: the call's inputs by name, (samples, length, width). alone: the value's
    input at one key, (width,). query: the last query's input, (samples, width). key_step:
    the first key's input less the second's, (width,). values: (samples, 2, width).
    """

    single: dict[str, Tensor]
    pair: dict[str, Tensor]
    alone: Tensor
    query: Tensor
    key_step: Tensor
    values: Tensor


def probe(binding: Binding, width: int, draw: torch.Generator, *, cross: bool) -> Probe:
    """Draw the inputs. Every entry is drawn apart from the others, so each can be told."""

    def spread(*shape: int) -> Tensor:
        # Away from zero and from one, which stands for a bias.
        sign = torch.where(torch.rand(shape, generator=draw) < 0.5, -1.0, 1.0)
        size = 0.4 + torch.rand(shape, generator=draw, dtype=torch.float64) * 1.2
        return sign.double() * size

    query = spread(_SAMPLES, width)
    step = spread(width)
    alone = spread(1, 1, width)
    if not cross:
        both = torch.stack([query + step, query], dim=1)
        return Probe(
            single={"x": alone},
            pair={"x": both},
            alone=alone[0, 0],
            query=query,
            key_step=step,
            values=both,
        )
    base = spread(_SAMPLES, width)
    keys = torch.stack([base + step, base], dim=1)
    shared = binding.forward.shared
    values = keys if shared else spread(_SAMPLES, 2, width)
    single = {"query": spread(1, 1, width)}
    pair = {"query": query.unsqueeze(1)}
    if shared:
        single["context"] = alone
        pair["context"] = keys
    else:
        single |= {"key": spread(1, 1, width), "value": alone}
        pair |= {"key": keys, "value": values}
    return Probe(
        single=single, pair=pair, alone=alone[0, 0], query=query, key_step=step, values=values
    )
