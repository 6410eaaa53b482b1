import math

import torch


def _at_least_fp32(*tensors):
    return [t.to(torch.promote_types(t.dtype, torch.float32)) for t in tensors]


def chunk_attention(query, key, value, seen):
    dtype = query.dtype
    query, key, value = _at_least_fp32(query, key, value)
    logits = torch.einsum("bhqd,bhkd->bhqk", query, key) / math.sqrt(query.shape[-1])
    logits = logits.masked_fill(~seen[:, None, None, :], -torch.inf)
    lse = logits.logsumexp(dim=-1)
    anchor = torch.where(lse == -torch.inf, 0.0, lse)
    out = torch.einsum("bhqk,bhkd->bhqd", torch.exp(logits - anchor[..., None]), value)
    return out.to(dtype), lse.to(dtype)


def merge(outputs, lses):
    dtype = outputs.dtype
    outputs, lses = _at_least_fp32(outputs, lses)
    total = lses.logsumexp(dim=0)
    anchor = torch.where(total == -torch.inf, 0.0, total)
    shares = torch.exp(lses - anchor)
    return (shares[..., None] * outputs).sum(dim=0).to(dtype), total.to(dtype)


def split_k_attention(query, key, value, lengths, splits):
    places = torch.arange(key.shape[2], device=key.device)
    seen = places[None, :] < lengths[:, None]
    pieces = zip(
        key.tensor_split(splits, dim=2),
        value.tensor_split(splits, dim=2),
        seen.chunk(splits, dim=1),
    )
    outputs, lses = zip(*(chunk_attention(query, k, v, s) for k, v, s in pieces))
    return merge(torch.stack(outputs), torch.stack(lses))[0]
