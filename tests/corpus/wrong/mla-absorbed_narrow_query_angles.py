# wrong: mla-absorbed rope-low-precision line 26
# fair: rope-low-precision 8, 26
import torch


def _angles(positions, width, dtype):
    rates = 1.0 / 10000 ** (torch.arange(0, width, 2, device=positions.device, dtype=dtype) / width)
    return positions.unsqueeze(-1).to(dtype) * rates


def _apply(x, angles):
    a, b = x.to(angles.dtype).chunk(2, dim=-1)
    c, s = torch.cos(angles), torch.sin(angles)
    return torch.cat([a * c - b * s, a * s + b * c], dim=-1).to(x.dtype)


def cache_entries(latent, key_rope, positions):
    wide = torch.float64 if latent.dtype == torch.float64 else torch.float32
    return torch.cat([latent, _apply(key_rope, _angles(positions, key_rope.size(-1), wide))], -1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    b, h, q, d = query_content.shape
    r = query_rope.size(-1)
    pos = lengths[:, None] - q + torch.arange(q, device=cache.device)
    angles = _angles(pos, r, query_rope.dtype)
    q_pe = _apply(query_rope, angles[:, None])
    w = kv_up.view(h, 2, d, -1)
    wide = torch.cat([torch.einsum("bhqd,hdc->bhqc", query_content, w[:, 0]), q_pe], dim=-1)
    s = torch.einsum("bhqe,bke->bhqk", wide, cache) / (d + r) ** 0.5
    s = s.masked_fill((torch.arange(cache.size(1), device=cache.device) > pos[..., None])[:, None], -torch.inf)
    o = torch.einsum("bhqk,bkc->bhqc", s.softmax(-1), cache[..., :-r])
    return torch.einsum("bhqc,hdc->bhqd", o, w[:, 1])
