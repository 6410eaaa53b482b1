import torch
from torch import Tensor


def precompute_freqs(head_dim: int, positions: Tensor, base: float):
    half = head_dim // 2
    freqs = 1.0 / (base ** (torch.arange(half, device=positions.device).float() / head_dim))
    t = positions.to(torch.float32)
    return torch.einsum("i,j->ij", t, freqs)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    head_dim = x.shape[-1]
    freqs = precompute_freqs(head_dim, positions, base)
    cos = torch.cos(freqs)[None, None].to(x.dtype)
    sin = torch.sin(freqs)[None, None].to(x.dtype)
    x1 = x[..., : head_dim // 2]
    x2 = x[..., head_dim // 2 :]
    return torch.cat((x1 * cos - x2 * sin, x2 * cos + x1 * sin), dim=-1)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    head_dim = x.shape[-1]
    freqs = precompute_freqs(head_dim, positions, base)
    cos = torch.cos(freqs)[None, None].to(x.dtype)
    sin = torch.sin(freqs)[None, None].to(x.dtype)
    out = torch.empty_like(x)
    out[..., ::2] = x[..., ::2] * cos - x[..., 1::2] * sin
    out[..., 1::2] = x[..., 1::2] * cos + x[..., ::2] * sin
    return out
