import torch
from torch import Tensor


def _cos_sin(positions: Tensor, dim: int, base: float):
    inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2, dtype=torch.float32, device=positions.device) / dim))
    freqs = positions.float()[:, None] * inv_freq[None, :]
    return freqs.cos(), freqs.sin()


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    half = x.size(-1) // 2
    cos, sin = (t.to(x.dtype) for t in _cos_sin(positions, x.size(-1), base))
    out = torch.empty_like(x)
    out[..., :half] = x[..., :half] * cos - x[..., half:] * sin
    out[..., half:] = x[..., half:] * cos + x[..., :half] * sin
    return out


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = (t.to(x.dtype) for t in _cos_sin(positions, x.size(-1), base))
    out = x.clone()
    even, odd = out[..., 0::2], out[..., 1::2]
    out[..., 0::2] = even * cos - odd * sin
    out[..., 1::2] = odd * cos + even * sin
    return out
