# wrong: split-k chunk-without-keys line 10
# fair: chunk-without-keys 10, 25, 26
import math

import torch


def chunk_attention(query, key, value, seen):
    scores = (query @ key.mT * query.shape[-1] ** -0.5).masked_fill(~seen[:, None, None], -math.inf)
    top = scores.max(dim=-1, keepdim=True).values.clamp_min(-1e30)
    e = torch.exp(scores - top)
    total = e.sum(-1, keepdim=True)
    return e @ value / total.clamp_min(1e-30), (top + total.log())[..., 0]


def merge(outputs, lses):
    top = lses.max(0).values.clamp_min(-1e30)
    e = (lses - top).exp()
    total = e.sum(0)
    return (e[..., None] * outputs).sum(0) / total.clamp_min(1e-30)[..., None], top + total.log()


def split_k_attention(query, key, value, lengths, splits):
    seen = torch.arange(key.shape[2], device=key.device) < lengths[:, None]
    cuts = [one.tensor_split(splits, dim=axis) for one, axis in ((key, 2), (value, 2), (seen, 1))]
    parts = [chunk_attention(query, *cut) for cut in zip(*cuts, strict=True)]
    outputs, lses = (torch.stack(both) for both in zip(*parts, strict=True))
    return merge(outputs, lses)[0]
