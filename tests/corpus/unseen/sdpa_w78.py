from __future__ import annotations

import torch
from torch import Tensor


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    head_dim = query.shape[-1]
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) / head_dim ** 0.5
    neg_inf = torch.finfo(scores.dtype).min

    if mask is not None:
        scores = scores.masked_fill(mask == 0, neg_inf)
    elif causal:
        q_len, k_len = scores.shape[-2:]
        q_pos = torch.arange(k_len - q_len, k_len, device=scores.device)
        k_pos = torch.arange(k_len, device=scores.device)
        scores = scores.masked_fill(k_pos[None, :] > q_pos[:, None], neg_inf)

    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("bhqk,bhkv->bhqv", weights, value)
