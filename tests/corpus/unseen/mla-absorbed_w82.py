# attn-kata: mla-absorbed
import math

import torch
from torch import Tensor


def rope(x: Tensor, positions: Tensor) -> Tensor:
    dim = x.shape[-1]
    freq = 10000.0 ** (-torch.arange(0, dim, 2, device=x.device, dtype=torch.float32) / dim)
    angle = positions.float().unsqueeze(-1) * freq
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    x1, x2 = x[..., : dim // 2], x[..., dim // 2 :]
    return torch.cat((x1 * cos - x2 * sin, x2 * cos + x1 * sin), dim=-1)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    return torch.cat((latent, rope(key_rope, positions)), dim=-1)


def _mqa(q: Tensor, kv: Tensor, hidden: Tensor, width: int, value_width: int) -> Tensor:
    """queries of all heads against one shared entry: the decode kernel in plain torch"""
    s = torch.einsum("bhqc,bkc->bhqk", q, kv) / math.sqrt(width)
    s = s.masked_fill(hidden.unsqueeze(1), float("-inf"))
    return torch.einsum("bhqk,bkc->bhqc", s.softmax(dim=-1), kv[..., :value_width])


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    batch, heads, n, head_dim = query_content.shape
    rope_dim = query_rope.shape[-1]
    latent_dim = cache.shape[-1] - rope_dim
    up = kv_up.view(heads, 2, head_dim, latent_dim)
    at = lengths[:, None] - n + torch.arange(n, device=cache.device)
    q_latent = torch.einsum("bhqd,hdc->bhqc", query_content, up[:, 0])
    q = torch.cat((q_latent, rope(query_rope, at[:, None, :])), dim=-1)
    hidden = torch.arange(cache.shape[1], device=cache.device) > at.unsqueeze(-1)
    context = _mqa(q, cache, hidden, q.shape[-1], latent_dim)
    return torch.einsum("bhqc,hdc->bhqd", context, up[:, 1])
