import math

import torch
from torch import Tensor


def safe_exp_shift(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """exp(x - max) and max along dim, with 0 for a max of -inf."""
    top = x.amax(dim, keepdim=True)
    top = torch.where(torch.isinf(top), torch.zeros_like(top), top)
    return torch.exp(x - top), top


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~seen[:, None, None, :], float("-inf"))
    e, top = safe_exp_shift(scores, -1)
    z = e.sum(-1, keepdim=True)
    output = (e @ value) / torch.where(z > 0, z, torch.ones_like(z))
    return output, (z.log() + top).squeeze(-1)


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    share, top = safe_exp_shift(lses, 0)
    z = share.sum(0)
    merged = (share.unsqueeze(-1) * outputs).sum(0) / torch.where(z > 0, z, torch.ones_like(z)).unsqueeze(-1)
    return merged, z.log() + top.squeeze(0)


def bounds(total: int, parts: int) -> list[tuple[int, int]]:
    size = math.ceil(total / parts)
    return [(lo, min(lo + size, total)) for lo in range(0, total, size)]


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    places = torch.arange(key.shape[2], device=key.device)
    results = []
    for lo, hi in bounds(key.shape[2], splits):
        seen = places[lo:hi] < lengths[:, None]
        results.append(chunk_attention(query, key[:, :, lo:hi], value[:, :, lo:hi], seen))
    outputs, lses = (torch.stack(r) for r in zip(*results))
    return merge(outputs, lses)[0]
