# attn-kata: split-k
from __future__ import annotations

import math

import torch
from torch import Tensor


# Flash-Decoding，第一步：每一块单独做注意力；第二步：按 log-sum-exp 合并
def chunk_attention(
    query: Tensor, key: Tensor, value: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor]:
    dtype = query.dtype
    if dtype in (torch.float16, torch.bfloat16):
        query, key, value = query.float(), key.float(), value.float()
    s = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    s = s.masked_fill(~seen[:, None, None, :], float("-inf"))
    lse = torch.logsumexp(s, dim=-1)                          # (b, h, q)
    safe = torch.where(lse == float("-inf"), torch.zeros_like(lse), lse)
    p = torch.exp(s - safe.unsqueeze(-1))                     # 看不到任何 key 的行全为 0
    o = torch.matmul(p, value)
    return o.to(dtype), lse.to(dtype)


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    o, l = outputs, lses
    if l.dtype in (torch.float16, torch.bfloat16):
        o, l = o.float(), l.float()
    m = l.max(dim=0).values                                   # 每个 query 的最大值
    m = torch.where(m == float("-inf"), torch.zeros_like(m), m)
    w = torch.exp(l - m)                                      # (splits, b, h, q)
    total = w.sum(dim=0)
    safe = torch.where(total > 0, total, torch.ones_like(total))
    merged = (w.unsqueeze(-1) * o).sum(dim=0) / safe.unsqueeze(-1)
    merged_lse = torch.log(total)
    return merged.to(outputs.dtype), merged_lse.to(lses.dtype)


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    dtype = query.dtype
    if dtype in (torch.float16, torch.bfloat16):
        query, key, value = query.float(), key.float(), value.float()
    n = key.size(2)
    size = (n + splits - 1) // splits
    pos = torch.arange(n, device=key.device)
    seen = pos[None, :] < lengths.to(key.device)[:, None]     # (b, n)
    parts = [
        chunk_attention(query, k, v, s)
        for k, v, s in zip(key.split(size, 2), value.split(size, 2), seen.split(size, 1))
    ]
    outputs = torch.stack([o for o, _ in parts])
    lses = torch.stack([l for _, l in parts])
    return merge(outputs, lses)[0].to(dtype)
