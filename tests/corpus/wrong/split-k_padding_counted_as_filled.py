# wrong: split-k padding-not-masked line 52
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

NEG_INF = float("-inf")


def _attend(q: Tensor, k: Tensor, v: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
    """hidden broadcasts over the scores; any number of leading axes."""
    scores = (q @ k.transpose(-2, -1)) * (q.shape[-1] ** -0.5)
    scores = scores.masked_fill(hidden, NEG_INF)
    v = v.masked_fill(hidden.transpose(-2, -1), 0)
    top = scores.max(dim=-1, keepdim=True)[0]
    top = top.masked_fill(top == NEG_INF, 0)
    e = (scores - top).exp()
    total = e.sum(dim=-1, keepdim=True)
    out = (e @ v) / total.masked_fill(total == 0, 1)
    return out, (total.log() + top)[..., 0]


def _up(*ts: Tensor) -> list[Tensor]:
    return [t if t.dtype == torch.float64 else t.to(torch.float32) for t in ts]


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    out, lse = _attend(*_up(query, key, value), ~seen[:, None, None, :])
    return out.to(query.dtype), lse.to(query.dtype)


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    o, l = _up(outputs, lses)
    top = l.max(0)[0]
    top = top.masked_fill(top == NEG_INF, 0)
    w = (l - top).exp()
    total = w.sum(0)
    out = (o * w[..., None]).sum(0) / total.masked_fill(total == 0, 1)[..., None]
    return out.to(outputs.dtype), (total.log() + top).to(lses.dtype)


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    n_keys = key.size(-2)
    size = (n_keys + splits - 1) // splits
    extra = size * splits - n_keys
    q, k, v = _up(query, key, value)

    valid = torch.arange(n_keys, device=key.device) < lengths[:, None]
    if extra:
        k, v = F.pad(k, (0, 0, 0, extra)), F.pad(v, (0, 0, 0, extra))
        valid = F.pad(valid, (0, extra), value=True)
    k = k.unflatten(2, (splits, size)).movedim(2, 0)          # splits, batch, heads, size, d
    v = v.unflatten(2, (splits, size)).movedim(2, 0)
    valid = valid.unflatten(1, (splits, size)).movedim(1, 0)  # splits, batch, size

    outs, lses = _attend(q[None], k, v, ~valid[:, :, None, None, :])
    return merge(outs, lses)[0].to(query.dtype)
