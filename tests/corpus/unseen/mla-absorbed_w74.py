import math
import torch


def rope(x, positions):
    dim = x.shape[-1]
    freq = 10000.0 ** (-torch.arange(0, dim, 2, dtype=torch.float64, device=x.device) / dim)
    angle = positions.double()[..., None] * freq
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


def cache_entries(latent, key_rope, positions):
    return torch.cat([latent, rope(key_rope, positions)], dim=-1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    batch, heads, q_len, head_dim = query_content.shape
    latent_dim = kv_up.shape[1]
    w = kv_up.view(heads, 2, head_dim, latent_dim)
    w_k, w_v = w[:, 0], w[:, 1]
    pos = lengths[:, None] - q_len + torch.arange(q_len, device=cache.device)
    q_abs = torch.einsum("bhqd,hdc->bhqc", query_content, w_k)
    q = torch.cat([q_abs, rope(query_rope, pos[:, None])], dim=-1)
    scores = torch.einsum("bhqe,bke->bhqk", q, cache) / math.sqrt(q.shape[-1])
    k_pos = torch.arange(cache.shape[1], device=cache.device)
    hidden = k_pos[None, None, :] > pos[:, :, None]
    weights = scores.masked_fill(hidden[:, None], float("-inf")).softmax(-1)
    ctx = torch.einsum("bhqk,bkc->bhqc", weights, cache[..., :latent_dim])
    return torch.einsum("bhqc,hdc->bhqd", ctx, w_v)
