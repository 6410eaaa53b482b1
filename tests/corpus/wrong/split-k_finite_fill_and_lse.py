# wrong: split-k empty-chunk-counted line 13
"""Flash-Decoding in plain PyTorch."""
import math

import torch
from torch import Tensor


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor):
    acc = torch.float64 if query.dtype == torch.float64 else torch.float32
    s = torch.einsum("bhqd,bhkd->bhqk", query.to(acc), key.to(acc)) / math.sqrt(query.shape[-1])
    floor = torch.finfo(acc).min
    s = torch.where(seen[:, None, None, :], s, floor)
    lse = torch.logsumexp(s, dim=-1)
    p = torch.exp(s - lse[..., None])
    o = torch.einsum("bhqk,bhkv->bhqv", p, value.to(acc))
    return o.to(query.dtype), lse.to(query.dtype)


def merge(outputs: Tensor, lses: Tensor):
    l = lses.to(torch.promote_types(lses.dtype, torch.float32))
    L = torch.logsumexp(l, 0)
    empty = torch.isneginf(L)
    shares = torch.softmax(l.masked_fill(empty, 0.0), dim=0).masked_fill(empty, 0.0)
    o = torch.einsum("sbhq,sbhqv->bhqv", shares, outputs.to(shares.dtype))
    return o.to(outputs.dtype), L.to(lses.dtype)


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    position = torch.arange(key.shape[2], device=key.device)
    outs, lses = [], []
    for pos, k, v in zip(
        torch.tensor_split(position, splits),
        torch.tensor_split(key, splits, dim=2),
        torch.tensor_split(value, splits, dim=2),
    ):
        o, l = chunk_attention(query, k, v, pos[None, :] < lengths[:, None])
        outs.append(o)
        lses.append(l)
    return merge(torch.stack(outs), torch.stack(lses))[0]
