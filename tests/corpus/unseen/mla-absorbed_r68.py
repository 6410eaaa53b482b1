from __future__ import annotations

import torch
from torch import Tensor


def _spin(x: Tensor, positions: Tensor) -> Tensor:
    """positions has x's shape without the last axis, or broadcasts to it"""
    half = x.shape[-1] // 2
    inv = torch.logspace(0, -4 * (half - 1) / half, half, base=10.0, dtype=torch.float64, device=x.device)
    angle = positions.to(torch.float64).unsqueeze(-1) * inv
    re, im = x[..., :half].double(), x[..., half:].double()
    return torch.cat((re * angle.cos() - im * angle.sin(), im * angle.cos() + re * angle.sin()), -1).to(x.dtype)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    return torch.cat((latent, _spin(key_rope, positions)), dim=-1)


def absorbed_attention(query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor) -> Tensor:
    # one sequence after the other, cut to its own length: then only the triangle is left to hide
    _, heads, nq, head_dim = query_content.shape
    latent_dim = kv_up.shape[1]
    dtype = torch.promote_types(cache.dtype, torch.float32)
    key_up, value_up = kv_up.to(dtype).view(heads, 2, head_dim, latent_dim).unbind(1)
    width = head_dim + query_rope.shape[-1]
    out = []
    for qc, qr, entries, n in zip(query_content, query_rope, cache, lengths.tolist()):
        qc, qr, entries = qc.to(dtype), qr.to(dtype), entries[:n].to(dtype)
        place = torch.arange(n - nq, n, device=cache.device)
        wide = torch.cat((qc @ key_up, _spin(qr, place)), -1).flatten(0, 1)
        scores = torch.mm(wide, entries.T)
        scores = scores.view(heads, nq, n) / width**0.5
        later = torch.arange(n, device=cache.device) > place[:, None]
        weights = scores.masked_fill(later, float("-inf")).softmax(-1)
        out.append(weights @ entries[:, :latent_dim] @ value_up.mT)
    return torch.stack(out).to(cache.dtype)
