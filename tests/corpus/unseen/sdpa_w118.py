from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor


class Config(NamedTuple):
    scale: float
    offset: int


def _attention_head(q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None, cfg: Config) -> Tensor:
    s = torch.matmul(q, k.t()).mul(cfg.scale)
    if bias is not None:
        s = s + bias
    return torch.matmul(torch.softmax(s, dim=-1), v)


def _bias(query: Tensor, key: Tensor, mask: Tensor | None, causal: bool, cfg: Config) -> Tensor:
    shape = (query.size(0), query.size(1), query.size(2), key.size(2))
    hidden = torch.zeros(shape, dtype=torch.bool, device=query.device)
    if mask is not None:
        hidden = hidden | (mask == 0)
    if causal:
        rows = torch.arange(shape[2], device=query.device).view(-1, 1)
        cols = torch.arange(shape[3], device=query.device).view(1, -1)
        hidden = hidden | (cols > rows + cfg.offset)
    return torch.zeros(shape, dtype=query.dtype, device=query.device).masked_fill(hidden, float("-inf"))


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    cfg = Config(scale=1 / math.sqrt(value.size(-1)), offset=key.size(2) - query.size(2))
    bias = _bias(query, key, mask, causal, cfg)
    return torch.stack([
        torch.stack([
            _attention_head(query[b, h], key[b, h], value[b, h], bias[b, h], cfg)
            for h in range(query.size(1))
        ])
        for b in range(query.size(0))
    ])
