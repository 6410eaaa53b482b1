import math
from functools import partial

import torch


def _positions(n, device):
    return torch.arange(n, device=device)


def _cut(splits, axis, t):
    return torch.tensor_split(t, splits, axis)


def chunk_attention(query, key, value, seen):
    visible = seen[:, None, None, :]
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) / math.sqrt(query.shape[-1])
    scores = scores.to(torch.promote_types(scores.dtype, torch.float32)).masked_fill(~visible, -math.inf)
    lse = torch.logsumexp(scores, dim=-1)
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)
    return (weights.to(value.dtype) @ value), lse


def merge(outputs, lses):
    lse = torch.logsumexp(lses, dim=0)
    share = torch.exp(lses - lse)
    merged = (share.unsqueeze(-1) * outputs).sum(0)
    return merged.to(outputs.dtype), lse


def split_k_attention(query, key, value, lengths, splits):
    seen = _positions(key.shape[2], key.device)[None, :] < lengths.to(key.device)[:, None]
    cut = partial(_cut, splits)
    pieces = zip(cut(2, key), cut(2, value), cut(1, seen))
    outputs, lses = zip(*(chunk_attention(query, *piece) for piece in pieces if piece[2].shape[1]))
    return merge(torch.stack(outputs), torch.stack(lses))[0]
