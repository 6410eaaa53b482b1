import torch


def _rope(x, positions):
    """positions broadcasts to x without its last axis"""
    half = x.size(-1) // 2
    wide = torch.promote_types(x.dtype, torch.float32)
    freq = torch.pow(torch.tensor(10000.0, dtype=wide, device=x.device), -torch.arange(half, device=x.device, dtype=wide) / half)
    angle = positions.to(wide).unsqueeze(-1) * freq
    cos, sin = angle.cos(), angle.sin()
    a, b = x[..., :half].to(wide), x[..., half:].to(wide)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1).to(x.dtype)


def cache_entries(latent, key_rope, positions):
    return torch.cat([latent, _rope(key_rope, positions)], dim=-1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    """One (sample, head) at a time, on plain matrices, as a kernel's blocks would go."""
    batch, heads, m, head_dim = query_content.shape
    rope_dim = query_rope.shape[-1]
    latent_dim = cache.shape[-1] - rope_dim
    up = kv_up.view(heads, 2, head_dim, latent_dim)
    result = torch.empty_like(query_content)
    steps = torch.arange(m, device=cache.device)
    for b, n in enumerate(lengths.tolist()):
        own = cache[b, :n]                                    # what lies behind n is not touched
        latents = own[:, :latent_dim]
        stand = n - m + steps
        ahead = torch.arange(n, device=cache.device) > stand[:, None]
        for h in range(heads):
            q = torch.cat([query_content[b, h] @ up[h, 0], _rope(query_rope[b, h], stand)], dim=-1)
            s = torch.addmm(q.new_zeros(m, n), q, own.T, beta=0, alpha=(head_dim + rope_dim) ** -0.5)
            w = s.masked_fill(ahead, -torch.inf).softmax(-1)
            result[b, h] = w @ latents @ up[h, 1].T
    return result
