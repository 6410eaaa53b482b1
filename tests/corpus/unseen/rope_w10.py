# attn-kata: rope
import torch
from einops import rearrange


def angles_for(positions, dim, base):
    freq = base ** (-torch.arange(0, dim, 2, device=positions.device, dtype=torch.float32) / dim)
    return torch.einsum("n,f->nf", positions.float(), freq)


def rotate(a, b, theta):
    c, s = theta.cos().to(a.dtype), theta.sin().to(a.dtype)
    return a * c - b * s, b * c + a * s


def rope_half_split(x, positions, base=10000):
    theta = angles_for(positions, x.shape[-1], base)
    a, b = rearrange(x, "... (two f) -> two ... f", two=2)
    return torch.cat(rotate(a, b, theta), dim=-1)


def rope_interleaved(x, positions, base=10000):
    theta = angles_for(positions, x.shape[-1], base)
    a, b = rearrange(x, "... (f two) -> two ... f", two=2)
    return torch.stack(rotate(a, b, theta), dim=-2).flatten(-2)
