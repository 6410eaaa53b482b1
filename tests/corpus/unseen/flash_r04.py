# Query tiles outside, key tiles inside; merges normalised partial results by their log-sum-exp.
from __future__ import annotations

import torch
from torch import Tensor


def _tile(q: Tensor, k: Tensor, v: Tensor, first_q: int, first_k: int, causal: bool) -> tuple[Tensor, Tensor]:
    logits = torch.einsum("...qd,...kd->...qk", q, k).mul(q.shape[-1] ** -0.5)
    if causal and first_k + k.shape[-2] - 1 > first_q:
        rows = torch.arange(q.shape[-2], device=q.device)[:, None] + first_q
        cols = torch.arange(k.shape[-2], device=q.device)[None, :] + first_k
        logits = logits.masked_fill(cols > rows, torch.finfo(logits.dtype).min)
    lse = torch.logsumexp(logits, dim=-1, keepdim=True)
    return torch.exp(logits - lse) @ v, lse


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    kind = query.dtype
    if kind in (torch.float16, torch.bfloat16):
        query, key, value = (t.float() for t in (query, key, value))
    length = query.shape[2]
    finished: list[Tensor] = []
    for a in range(0, length, block_size):
        q = query[:, :, a : a + block_size]
        last_row = a + q.shape[2] - 1
        out, lse = None, None
        for c in range(0, length, block_size):
            if causal and c > last_row:
                break
            part, part_lse = _tile(q, key[:, :, c : c + block_size], value[:, :, c : c + block_size], a, c, causal)
            if out is None:
                out, lse = part, part_lse
                continue
            both = torch.logaddexp(lse, part_lse)
            out = out * (lse - both).exp() + part * (part_lse - both).exp()
            lse = both
        finished.append(out.to(kind))
    return torch.cat(finished, dim=2)
