import torch


def _rope(x, pos):
    # x: (..., d), pos: x.shape[:-1] (or broadcastable)
    d = x.shape[-1]
    inv = 1.0 / 10000 ** (torch.arange(0, d, 2, dtype=torch.float32, device=x.device) / d)
    ang = pos.to(torch.float32)[..., None] * inv
    cos, sin = ang.cos(), ang.sin()
    x1, x2 = x[..., : d // 2], x[..., d // 2 :]
    out = torch.cat([x1 * cos - x2 * sin, x2 * cos + x1 * sin], dim=-1)
    return out.to(x.dtype)


def cache_entries(latent, key_rope, positions):
    return torch.cat([latent, _rope(key_rope, positions)], dim=-1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    bsz, n_heads, q_len, head_dim = query_content.shape
    rope_dim = query_rope.shape[-1]
    kv_lora_rank = cache.shape[-1] - rope_dim
    kv_len = cache.shape[1]
    dtype = query_content.dtype
    f = torch.float64 if dtype == torch.float64 else torch.float32

    wkv_b = kv_up.to(f).view(n_heads, 2 * head_dim, kv_lora_rank)
    w_uk, w_uv = wkv_b[:, :head_dim], wkv_b[:, head_dim:]

    q_pos = torch.arange(kv_len - q_len, kv_len, device=cache.device)
    q_pe = _rope(query_rope, q_pos).to(f)
    scale = (head_dim + rope_dim) ** -0.5

    # bottom-right aligned causal mask for every sequence
    last_seen = lengths.to(cache.device)[:, None] - q_len + torch.arange(q_len, device=cache.device)
    kv_pos = torch.arange(kv_len, device=cache.device)
    mask = kv_pos[None, None, :] > last_seen[:, :, None]

    kv = cache.to(f)
    out = torch.empty(bsz, n_heads, q_len, head_dim, dtype=f, device=cache.device)
    for h in range(n_heads):
        q_nope = query_content[:, h].to(f) @ w_uk[h]
        q = torch.cat([q_nope, q_pe[:, h]], dim=-1) * scale
        scores = q @ kv.transpose(1, 2)
        probs = scores.masked_fill(mask, float("-inf")).softmax(dim=-1)
        o = probs @ kv[..., :kv_lora_rank]
        out[:, h] = o @ w_uv[h].T
    return out.to(dtype)
