from __future__ import annotations

import torch
from torch import Tensor


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    B, H, T, _ = query.shape
    *_, S, D = value.shape

    z = torch.einsum("bhtd,bhsd->bhts", query, key) * D**-0.5

    hide = torch.zeros(T, S, dtype=torch.bool, device=z.device)
    if causal:
        # last row sees everything
        hide = torch.ones_like(hide).triu(1 + S - T)
    if mask is not None:
        hide = hide | (mask == 0)

    return torch.einsum("bhts,bhse->bhte", z.masked_fill(hide, -torch.inf).softmax(-1), value)
