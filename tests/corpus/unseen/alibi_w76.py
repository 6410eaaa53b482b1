from __future__ import annotations

import torch
from torch import Tensor

NEG = float("-inf")


def slopes(heads: int) -> Tensor:
    base = 1
    while base * 2 <= heads:
        base *= 2
    out = torch.pow(2.0, -8.0 / base * torch.arange(1, base + 1))
    if base != heads:
        extra = torch.pow(2.0, -4.0 / base * torch.arange(1, 2 * base + 1))[::2]
        out = torch.cat([out, extra[: heads - base]])
    return out


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    i = torch.arange(query_length).view(-1, 1)
    j = torch.arange(key_length).view(1, -1)
    penalty = slopes(heads).view(-1, 1, 1) * (j - i)
    return torch.where(j > i, NEG, penalty)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    n_heads, q_len, width = query.shape[-3:]
    attn = torch.matmul(query, key.transpose(2, 3)) * width**-0.5
    attn = attn + bias(n_heads, q_len, key.shape[-2]).to(attn)
    return torch.matmul(attn.softmax(-1), value)
