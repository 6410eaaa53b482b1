import math
from typing import Iterator, Tuple

import torch
from torch import Tensor


def blocks(n: int, size: int) -> Iterator[Tuple[int, int]]:
    start = 0
    while start < n:
        yield start, min(start + size, n)
        start += size


def correction(old_max: Tensor, new_max: Tensor) -> Tensor:
    """By how much what was summed with the old maximum has to be scaled."""
    first = torch.isinf(old_max)
    c = torch.exp(new_max - old_max)
    return c.masked_fill(first, 0.0)


@torch.no_grad()
def flash_attention(query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False) -> Tensor:
    n, d = query.shape[-2:]
    wide = torch.promote_types(query.dtype, torch.float32)
    query_, key_, value_ = query.to(wide), key.to(wide), value.to(wide)
    outs = []
    for qs, qe in blocks(n, block_size):
        q = query_[..., qs:qe, :]
        acc = torch.zeros_like(q)
        denom = torch.zeros_like(q[..., :1])
        peak = torch.full_like(denom, -math.inf)
        for ks, ke in blocks(n, block_size):
            if causal and ks > qe - 1:
                break
            scores = q @ key_[..., ks:ke, :].transpose(-1, -2) / math.sqrt(d)
            if causal:
                ahead = torch.arange(ks, ke, device=q.device) > torch.arange(qs, qe, device=q.device)[:, None]
                scores.masked_fill_(ahead, -math.inf)
            new_peak = torch.maximum(peak, scores.amax(-1, keepdim=True))
            weights = torch.exp(scores - new_peak)
            c = correction(peak, new_peak)
            denom = denom * c + weights.sum(-1, keepdim=True)
            acc = acc * c + weights @ value_[..., ks:ke, :]
            peak = new_peak
        outs.append(acc / denom)
    return torch.cat(outs, dim=-2).to(query.dtype)
