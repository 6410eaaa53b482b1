from __future__ import annotations

import torch
from torch import Tensor


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    """O_i = sum_j A_ij v_j, where A_ij > 0 only for 0 <= i - j < w."""
    n, d = query.shape[-2:]
    t = torch.arange(n, dtype=query.dtype, device=query.device)
    D = t[:, None] - t[None, :]
    M = (D >= 0) & (D < window)

    S = torch.einsum("bhid,bhjd->bhij", query, key) / d**0.5
    S = torch.where(M, S, -torch.inf)
    A = torch.softmax(S, -1)
    return torch.einsum("bhij,bhjd->bhid", A, value)
