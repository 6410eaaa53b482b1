from __future__ import annotations

from functools import lru_cache

import torch
from torch import Tensor


@lru_cache(maxsize=None)
def _slope_list(n: int) -> tuple[float, ...]:
    p = 2 ** (n.bit_length() - 1)
    if p == n:
        return tuple(2.0 ** (-8 * i / n) for i in range(1, n + 1))
    return _slope_list(p) + _slope_list(2 * p)[::2][: n - p]


def slopes(heads: int) -> Tensor:
    return torch.tensor(_slope_list(heads), dtype=torch.float32)


def _relative(q_pos: Tensor, k_pos: Tensor, m: Tensor) -> Tensor:
    gap = q_pos[:, None] - k_pos[None, :]
    return torch.where(gap >= 0, -m[:, None, None] * gap, float("-inf"))


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    where = torch.arange(key_length)
    return _relative(where[key_length - query_length :], where, slopes(heads))


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Head by head; every head adds its own line."""
    n_q, n_k = query.size(-2), key.size(-2)
    places = torch.arange(n_k, device=query.device).to(query.dtype)
    per_head = []
    for h, m in enumerate(_slope_list(query.size(1))):
        m = torch.tensor([m], dtype=torch.float32, device=query.device)
        logits = torch.einsum("bqd,bkd->bqk", query[:, h], key[:, h]) * query.size(-1) ** -0.5
        logits = logits + _relative(places[n_k - n_q :], places, m)
        probs = logits.softmax(-1).to(value.dtype)
        per_head.append(torch.einsum("bqk,bkv->bqv", probs, value[:, h]))
    return torch.stack(per_head, dim=1)
