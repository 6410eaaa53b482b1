# right: split-k
import math

import torch
import torch.nn.functional as F


def chunk_attention(query, key, value, seen):
    s = query @ key.mT / math.sqrt(query.shape[-1])
    s = torch.where(seen[:, None, None, :], s, torch.tensor(float("-inf"), dtype=s.dtype, device=s.device))
    lse = s.logsumexp(-1)
    p = torch.exp(s - lse[..., None].clamp(min=torch.finfo(s.dtype).min))
    return p @ value, lse


def merge(outputs, lses):
    total = lses.logsumexp(0)
    shares = torch.exp(lses - total).masked_fill(lses == float("-inf"), 0)
    return torch.einsum("sbhq,sbhqv->bhqv", shares, outputs), total


def split_k_attention(query, key, value, lengths, splits):
    B, H, K, D = key.shape
    size = math.ceil(K / splits)
    pad = size * splits - K
    # all chunks at once: an axis for them, folded into the batch
    key = F.pad(key, (0, 0, 0, pad)).view(B, H, splits, size, D)
    value = F.pad(value, (0, 0, 0, pad)).view(B, H, splits, size, -1)
    place = torch.arange(size * splits, device=key.device)
    seen = (place < lengths[:, None]).view(B, splits, size)

    def fold(x):
        return x.transpose(1, 2).reshape(B * splits, H, size, -1)

    q = query[:, None].expand(-1, splits, -1, -1, -1).reshape(B * splits, *query.shape[1:])
    o, lse = chunk_attention(q, fold(key), fold(value), seen.reshape(B * splits, size))
    o = o.view(B, splits, *o.shape[1:]).transpose(0, 1)
    lse = lse.view(B, splits, *lse.shape[1:]).transpose(0, 1)
    return merge(o, lse)[0]
