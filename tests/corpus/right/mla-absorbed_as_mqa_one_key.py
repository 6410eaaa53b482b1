# right: mla-absorbed
"""One wide key for all heads: the query is [q·U | rotated q], the key is the cache as it lies."""

from __future__ import annotations

import torch
from torch import Tensor


def rotate_half(x: Tensor) -> Tensor:
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


def rotate(x: Tensor, positions: Tensor) -> Tensor:
    work = torch.float64 if x.dtype == torch.float64 else torch.float32
    dim = x.shape[-1]
    inv_freq = 1.0 / (10000 ** (torch.arange(0, dim, 2, device=x.device).to(work) / dim))
    emb = positions.to(work).unsqueeze(-1) * inv_freq
    emb = torch.cat((emb, emb), dim=-1)
    x_ = x.to(work)
    return (x_ * emb.cos() + rotate_half(x_) * emb.sin()).to(x.dtype)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    batch, length, width = latent.shape
    out = latent.new_empty(batch, length, width + key_rope.shape[-1])
    out[..., :width] = latent
    out[..., width:] = rotate(key_rope, positions)
    return out


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    batch, heads, q_len, head_dim = query_content.shape
    rope_dim = query_rope.shape[-1]
    latent_dim = kv_up.shape[1]
    up = kv_up.reshape(heads, 2, head_dim, latent_dim)
    w_uk, w_uv = up[:, 0], up[:, 1]

    positions = lengths[:, None] - q_len + torch.arange(q_len, device=lengths.device)
    wide_query = torch.cat(
        [torch.matmul(query_content, w_uk), rotate(query_rope, positions[:, None, :])], dim=-1
    )
    # heads and queries are rows of one matrix: the cache is read once
    rows = wide_query.reshape(batch, heads * q_len, latent_dim + rope_dim)
    scores = torch.bmm(rows, cache.transpose(1, 2)).view(batch, heads, q_len, -1)
    scores = scores / (head_dim + rope_dim) ** 0.5
    visible = torch.arange(cache.shape[1], device=cache.device) <= positions[..., None]
    scores = torch.where(visible[:, None], scores, torch.full_like(scores, float("-inf")))
    probs = torch.softmax(scores, dim=-1)
    gathered = torch.bmm(probs.view(batch, heads * q_len, -1), cache[..., :latent_dim])
    gathered = gathered.view(batch, heads, q_len, latent_dim)
    return torch.matmul(gathered, w_uv.transpose(-1, -2))
