from __future__ import annotations

import math

import torch
from torch import Tensor


def _wide(t: Tensor) -> Tensor:
    return t if t.dtype in (torch.float32, torch.float64) else t.float()


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    s = _wide(query) @ _wide(key).transpose(-1, -2) / math.sqrt(query.shape[-1])
    s = s.masked_fill(~seen[:, None, None, :], -math.inf)
    lse = torch.logsumexp(s, dim=-1)
    # -inf - (-inf) is nan; where nothing is seen subtract 0, and every weight is exp(-inf) = 0
    w = torch.exp(s - lse.masked_fill(lse == -math.inf, 0.0).unsqueeze(-1))
    v = _wide(value).masked_fill(~seen[:, None, :, None], 0.0)     # 0 * nan is nan
    return (w @ v).to(query.dtype), lse.to(query.dtype)


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    o, l = _wide(outputs), _wide(lses)
    total = torch.logsumexp(l, dim=0)
    share = torch.exp(l - total.masked_fill(total == -math.inf, 0.0))
    return (share.unsqueeze(-1) * o).sum(0).to(outputs.dtype), total.to(lses.dtype)


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    n = key.shape[2]
    seen = torch.arange(n, device=key.device) < lengths.to(key.device)[:, None]
    size = -(-n // splits)
    so_far = None
    for a in range(0, n, size):
        part = slice(a, min(a + size, n))
        new = chunk_attention(_wide(query), _wide(key[:, :, part]), _wide(value[:, :, part]), seen[:, part])
        # what is merged may be merged again, so two at a time are enough
        so_far = new if so_far is None else merge(*(torch.stack(pair) for pair in zip(so_far, new)))
    return so_far[0].to(query.dtype)
