from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

import torch
from torch import Tensor

Rule = Callable[[Tensor], Tensor]


@dataclass
class Geo:
    nq: int
    nk: int
    w: int
    dev: torch.device

    @classmethod
    def of(cls, query: Tensor, key: Tensor) -> "Geo":
        return cls(query.size(-2), key.size(-2), query.size(-1), query.device)

    @property
    def ahead(self) -> Tensor:
        row = torch.arange(self.nk - self.nq, self.nk, device=self.dev)
        col = torch.arange(self.nk, device=self.dev)
        return col.unsqueeze(0).gt(row.unsqueeze(1))


def rules(geo: Geo, mask: Tensor | None, causal: bool):
    """Yield one function after another; each hides some of the scores it is given."""

    def hide(where: Tensor) -> Rule:
        return lambda s: torch.where(where, torch.full_like(s, torch.finfo(s.dtype).min), s)

    if mask is not None:
        yield hide(mask == 0)
    if causal:
        yield hide(geo.ahead)


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    geo = Geo.of(query, key)
    scores = torch.einsum("...xd,...yd->...xy", query * geo.w**-0.5, key)
    for rule in rules(geo, mask, causal):
        scores = rule(scores)
    return torch.einsum("...xy,...yw->...xw", torch.softmax(scores, -1), value)
