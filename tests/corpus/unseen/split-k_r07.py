import math

import torch
from torch import Tensor


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor):
    """分块注意力：返回该块的输出和分数的 log-sum-exp。"""
    acc = torch.float64 if query.dtype == torch.float64 else torch.float32
    s = query.to(acc) @ key.to(acc).transpose(-2, -1)
    s = s.div(math.sqrt(query.size(-1)))
    hidden = seen.logical_not()[:, None, None, :]
    s = s.masked_fill(hidden, -math.inf)
    lse = torch.logsumexp(s, dim=-1)
    # 空块：lse 为 -inf，减去 0 而不是 -inf，避免 nan
    anchor = lse.masked_fill(lse.isneginf(), 0.0)
    out = (s - anchor.unsqueeze(-1)).exp() @ value.to(acc)
    return out.to(query.dtype), lse.to(query.dtype)


def merge(outputs: Tensor, lses: Tensor):
    acc = torch.float64 if lses.dtype == torch.float64 else torch.float32
    wide = lses.to(acc)
    total = torch.logsumexp(wide, dim=0)
    anchor = total.masked_fill(total.isneginf(), 0.0)
    share = (wide - anchor).exp()
    merged = torch.sum(share[..., None] * outputs.to(acc), dim=0)
    return merged.to(outputs.dtype), total.to(lses.dtype)


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    acc = torch.float64 if query.dtype == torch.float64 else torch.float32
    S = key.size(2)
    step = -(-S // splits)
    place = torch.arange(S, device=key.device)
    seen = place < lengths.to(key.device).unsqueeze(1)
    parts = []
    for lo in range(0, S, step):
        hi = min(lo + step, S)
        parts.append(chunk_attention(query.to(acc), key[:, :, lo:hi].to(acc), value[:, :, lo:hi].to(acc), seen[:, lo:hi]))
    outs, lses = zip(*parts)
    out, _ = merge(torch.stack(outs), torch.stack(lses))
    return out.to(query.dtype)
