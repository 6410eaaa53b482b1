import functools
import math
from typing import NamedTuple

import torch


class Carry(NamedTuple):
    peak: torch.Tensor  # (B, H, L, 1) largest score so far
    total: torch.Tensor  # (B, H, L, 1) sum of exponentials, relative to peak
    acc: torch.Tensor  # (B, H, L, d) unnormalised output, relative to peak


def step(query, causal, carry, tile):
    keys, values, first = tile
    s = torch.einsum("bhqd,bhkd->bhqk", query, keys)
    if causal:
        q_pos = torch.arange(s.shape[-2], device=s.device)[:, None]
        k_pos = torch.arange(first, first + s.shape[-1], device=s.device)[None, :]
        s = torch.where(k_pos <= q_pos, s, -math.inf)
    # key 0 is visible to all, so after the first tile no peak is -inf
    peak = torch.maximum(carry.peak, s.amax(dim=-1, keepdim=True))
    p = torch.exp(s - peak)
    shrink = torch.exp(carry.peak - peak)
    return Carry(
        peak,
        carry.total * shrink + p.sum(dim=-1, keepdim=True),
        carry.acc * shrink + torch.einsum("bhqk,bhkd->bhqd", p, values),
    )


def flash_attention(query, key, value, block_size, causal=False):
    scaled = query / math.sqrt(query.shape[-1])
    starts = range(0, key.shape[-2], block_size)
    tiles = zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2), starts)
    init = Carry(
        torch.full_like(query[..., :1], -math.inf),
        torch.zeros_like(query[..., :1]),
        torch.zeros_like(query),
    )
    last = functools.reduce(functools.partial(step, scaled, causal), tiles, init)
    return last.acc / last.total
