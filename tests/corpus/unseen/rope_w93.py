# RoPE, versione con tensori (seno, coseno) calcolati al volo
import math
from torch import Tensor, arange, cat, empty_like, float32, outer


def frequenze(head_dim: int, base: float, device) -> Tensor:
    i = arange(head_dim // 2, dtype=float32, device=device)
    return (-math.log(base) * i / head_dim).exp()


def tabelle(positions: Tensor, head_dim: int, base: float):
    angoli = outer(positions.float(), frequenze(head_dim, base, positions.device))
    return angoli.cos(), angoli.sin()


def ruota(a: Tensor, b: Tensor, cos: Tensor, sin: Tensor):
    return a * cos - b * sin, b * cos + a * sin


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = tabelle(positions, x.shape[-1], base)
    meta = x.shape[-1] // 2
    a, b = ruota(x[..., :meta], x[..., meta:], cos, sin)
    return cat((a, b), -1)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = tabelle(positions, x.shape[-1], base)
    out = empty_like(x)
    a, b = ruota(x[..., 0::2], x[..., 1::2], cos, sin)
    out[..., 0::2] = a.to(x.dtype)
    out[..., 1::2] = b.to(x.dtype)
    return out
