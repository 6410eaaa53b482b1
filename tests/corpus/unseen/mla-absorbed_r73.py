# attn-kata: mla-absorbed
import torch


def _rotate(t, pos):
    """t (..., rope_dim), pos broadcasts to t's leading axes"""
    half = t.shape[-1] // 2
    inv = 10000.0 ** (-torch.arange(half, device=t.device, dtype=torch.float64) / half)
    ang = pos.double().unsqueeze(-1) * inv
    a, b = t.double().chunk(2, -1)
    c, s = ang.cos(), ang.sin()
    return torch.cat((a * c - b * s, b * c + a * s), -1).to(t.dtype)


def cache_entries(latent, key_rope, positions):
    return torch.cat((latent, _rotate(key_rope, positions)), dim=-1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    b, h, n, d = query_content.shape
    r = query_rope.shape[-1]
    lat = cache.shape[-1] - r
    up_k, up_v = kv_up.view(h, 2, d, lat).unbind(1)
    pos = lengths[:, None] - n + torch.arange(n, device=cache.device)       # b n
    slot = torch.arange(cache.shape[1], device=cache.device)
    hidden = slot > pos[..., None]                                          # b n m
    q_r = _rotate(query_rope, pos[:, None])
    heads = []
    for i in range(h):
        q = torch.cat((query_content[:, i] @ up_k[i], q_r[:, i]), dim=-1)   # b n lat+r
        s = torch.bmm(q, cache.transpose(1, 2)) / (d + r) ** 0.5
        w = s.masked_fill(hidden, -torch.inf).softmax(-1)
        heads.append(torch.bmm(w, cache[..., :lat]) @ up_v[i].T)
    return torch.stack(heads, dim=1)
