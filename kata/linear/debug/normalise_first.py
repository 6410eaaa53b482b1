from __future__ import annotations

import torch
from torch import Tensor, nn

ELU = nn.ELU()


def kernel(x: Tensor) -> Tensor:
    return ELU(x) + torch.ones((), dtype=x.dtype, device=x.device)


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Weights are normalised before the values are gathered."""
    features = kernel(query)
    totals = kernel(key).sum(dim=2, keepdim=True)  # (batch, heads, 1, head_dim)
    share = features / (features * totals).sum(dim=-1, keepdim=True)
    return torch.matmul(share, torch.matmul(kernel(key).transpose(2, 3), value))


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    features, mapped = kernel(query), kernel(key)
    totals = torch.cumsum(mapped, dim=2)
    share = features / (features * totals).sum(dim=-1, keepdim=True)
    out = torch.empty_like(value)
    state = torch.zeros_like(mapped[:, :, 0].unsqueeze(-1) * value[:, :, 0].unsqueeze(-2))
    for place in range(query.size(2)):
        state = torch.add(
            state, torch.matmul(mapped[:, :, place, :, None], value[:, :, place, None, :])
        )
        out[:, :, place] = torch.matmul(share[:, :, place, None, :], state)[:, :, 0]
    return out
