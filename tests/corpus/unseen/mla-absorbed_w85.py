import torch


class UpProjection:
    """kv_b_proj.weight, taken apart"""

    def __init__(self, weight, heads, head_dim):
        stacked = weight.reshape(2, heads, head_dim, -1)
        self.key, self.value = stacked[0], stacked[1]

    def absorb(self, q):
        return torch.einsum("bhqd,hdl->bhql", q, self.key)

    def expand(self, c):
        return torch.einsum("bhql,hdl->bhqd", c, self.value)


def angles(positions, dim):
    i = torch.arange(dim // 2, device=positions.device, dtype=torch.float64)
    return positions.to(torch.float64)[..., None] / (10000.0 ** (2 * i / dim))


def apply_rope(t, ang):
    c, s = ang.cos().to(t.dtype), ang.sin().to(t.dtype)
    t1, t2 = t.chunk(2, dim=-1)
    return torch.cat([t1 * c - t2 * s, t2 * c + t1 * s], dim=-1)


def cache_entries(latent, key_rope, positions):
    return torch.cat([latent, apply_rope(key_rope, angles(positions, key_rope.size(-1)))], dim=-1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    B, H, Tq, d = query_content.shape
    r, L = query_rope.size(-1), kv_up.size(-1)
    up = UpProjection(kv_up, H, d)
    pos = lengths.view(B, 1) - Tq + torch.arange(Tq, device=lengths.device)
    latent, k_rope = cache.split([L, r], dim=-1)
    q_rope = apply_rope(query_rope, angles(pos, r).unsqueeze(1))
    # content and position, heads folded into the query axis
    scale = (d + r) ** -0.5
    logits = (up.absorb(query_content) * scale).flatten(1, 2) @ latent.mT
    logits = logits + (q_rope * scale).flatten(1, 2) @ k_rope.mT
    logits = logits.unflatten(1, (H, Tq))
    hidden = torch.arange(cache.size(1), device=cache.device) > pos.view(B, 1, Tq, 1)
    probs = torch.softmax(logits.masked_fill(hidden, torch.finfo(logits.dtype).min), dim=-1)
    return up.expand((probs.flatten(1, 2) @ latent).unflatten(1, (H, Tq)))
