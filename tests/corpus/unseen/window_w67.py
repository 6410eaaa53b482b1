from __future__ import annotations

from functools import reduce
from operator import and_
from typing import Callable

import torch
from torch import Tensor

Rule = Callable[[Tensor, Tensor], Tensor]

RULES: dict[str, Callable[..., Rule]] = {
    "causal": lambda **_: lambda i, j: j <= i,
    "window": lambda window, **_: lambda i, j: i.div(window, rounding_mode="floor")
    == j.div(window, rounding_mode="floor"),
    "full": lambda **_: lambda i, j: (i >= 0) & (j >= 0),
}


def mask_of(names: tuple[str, ...], length: int, device: torch.device, **options) -> Tensor:
    i = torch.arange(length, device=device).view(-1, 1)
    j = torch.arange(length, device=device).view(1, -1)
    return reduce(and_, (RULES[name](**options)(i, j) for name in names))


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    seen = mask_of(("causal", "window"), query.shape[-2], query.device, window=window)
    pipeline = (
        lambda s: s * query.shape[-1] ** -0.5,
        lambda s: s.where(seen, float("-inf")),
        lambda s: s.softmax(-1),
        lambda w: w @ value,
    )
    return reduce(lambda t, f: f(t), pipeline, query @ key.mT)
