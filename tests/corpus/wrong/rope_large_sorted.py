# wrong: rope
"""Rotary position embedding, both pairings (Su et al. 2021, RoFormer, section 3.2.2).

Half-split as in GPT-NeoX and Llama's port to transformers, interleaved as in the paper and GPT-J.
"""


import torch
from torch import Tensor


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    """Turn the pairs (i, i + head_dim/2) of x, each position by its own angles.

    x is (batch, heads, length, head_dim) of any float dtype, positions (length,) whole
    numbers. Pair i at position p is turned by p · base^(-2i/head_dim). Returns x's shape
    and dtype.
    """
    cos, sin = cos_and_sin(x, positions, base)
    left, right = x.to(cos.dtype).chunk(2, dim=-1)  # 2 × (batch, heads, length, pairs)
    left_turned = left * cos - right * sin  # (batch, heads, length, pairs)
    right_turned = right * cos + left * sin  # (batch, heads, length, pairs)
    joined = torch.cat([left_turned, right_turned], dim=-1)  # (batch, heads, length, head_dim)
    return joined.to(x.dtype)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    """Turn the pairs (2i, 2i + 1) of x, each position by its own angles; else the same."""
    cos, sin = cos_and_sin(x, positions, base)
    pairs = x.to(cos.dtype).unflatten(-1, (-1, 2))  # (batch, heads, length, pairs, 2)
    even, odd = pairs.unbind(dim=-1)  # 2 × (batch, heads, length, pairs)
    even_turned = even * cos - odd * sin  # (batch, heads, length, pairs)
    odd_turned = odd * cos + even * sin  # (batch, heads, length, pairs)
    # A stack on a last axis that is flattened puts neighbours side by side.
    woven = torch.stack([even_turned, odd_turned], dim=-1)  # (batch, heads, length, pairs, 2)
    return woven.flatten(-2).to(x.dtype)


def cos_and_sin(x: Tensor, positions: Tensor, base: float) -> tuple[Tensor, Tensor]:
    """Return the cosines and sines of the angles, each (length, head_dim/2), at least float32."""
    # bfloat16 has no 257 and float16 no 2049: angles are never made in less than float32.
    wide = torch.promote_types(x.dtype, torch.float32)
    head_dim = x.shape[-1]
    steps = torch.arange(0, head_dim, 2, dtype=wide, device=x.device)  # (pairs)
    frequencies = base ** (-steps / head_dim)  # (pairs)
    places = positions.sort().values.to(wide).unsqueeze(-1)  # (length, 1)
    angles = places * frequencies  # (length, pairs)
    cos = angles.cos()  # (length, pairs)
    sin = angles.sin()  # (length, pairs)
    return cos, sin

