from __future__ import annotations

import torch
from torch import Tensor


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    scale = query.size(-1) ** -0.5
    logits = torch.einsum("bhqd,bhkd->bhqk", query, key) * scale
    logits = logits.masked_fill(seen[:, None, None].logical_not(), -torch.inf)
    probs = logits.softmax(dim=-1)
    out = torch.einsum("bhqk,bhkv->bhqv", probs, value)
    return out, logits.logsumexp(dim=-1)


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    merged_lse = lses.logsumexp(dim=0)
    safe = merged_lse.masked_fill(merged_lse == -torch.inf, 0.0)
    share = (lses - safe).exp()
    merged = torch.einsum("sbhq,sbhqv->bhqv", share.to(outputs.dtype), outputs)
    return merged, merged_lse


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    parts = []
    offset = 0
    for k, v in zip(key.tensor_split(splits, dim=2), value.tensor_split(splits, dim=2)):
        n = k.size(2)
        if n == 0:
            continue
        index = offset + torch.arange(n, device=k.device)
        parts.append(chunk_attention(query, k, v, index < lengths[:, None]))
        offset += n
    outs, lses = map(torch.stack, zip(*parts))
    return merge(outs, lses)[0]
