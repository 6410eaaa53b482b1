from __future__ import annotations

from functools import reduce

import torch
from torch import Tensor


def slopes(heads: int) -> Tensor:
    """Press et al., recursive as in the authors' get_slopes."""

    def get(n):
        if n & (n - 1) == 0:
            return [2.0 ** (-8.0 * (k + 1) / n) for k in range(n)]
        closest = 2 ** (n.bit_length() - 1)
        return get(closest) + get(2 * closest)[0::2][: n - closest]

    return torch.tensor(get(heads), dtype=torch.float32)


def _row(m: Tensor, position: int, key_length: int) -> Tensor:
    row = torch.full((m.numel(), key_length), float("-inf"), dtype=m.dtype, device=m.device)
    row[:, : position + 1] = -m[:, None] * torch.arange(position, -1, -1, device=m.device)
    return row


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    m = slopes(heads)
    return torch.stack([_row(m, p, key_length) for p in range(key_length - query_length, key_length)], 1)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    m = slopes(query.size(1)).to(query.device)
    start = key.size(2) - query.size(2)
    rows = []
    for t in range(query.size(2)):
        seen = start + t + 1
        q = query[:, :, t : t + 1].float() if query.element_size() < 4 else query[:, :, t : t + 1]
        s = (q * key[:, :, :seen].to(q.dtype)).sum(-1) / query.size(3) ** 0.5
        s = s - m.to(s.dtype)[:, None] * torch.arange(seen - 1, -1, -1, device=s.device)
        w = torch.exp(s - s.max(-1, keepdim=True).values)
        w = w / w.sum(-1, keepdim=True)
        rows.append((w.unsqueeze(-1) * value[:, :, :seen].to(w.dtype)).sum(-2))
    return torch.stack(rows, 2).to(query.dtype)
