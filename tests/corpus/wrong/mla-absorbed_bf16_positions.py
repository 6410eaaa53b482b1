# wrong: mla-absorbed rope-low-precision line 8
import torch


def rot(x, pos):
    d = x.shape[-1]
    freqs = 1.0 / (10000 ** (torch.arange(0, d, 2, device=x.device).to(x.dtype) / d))
    t = pos.to(x.dtype)[..., None] * freqs
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * t.cos() - b * t.sin(), b * t.cos() + a * t.sin()], dim=-1)


def cache_entries(latent, key_rope, positions):
    return torch.cat([latent, rot(key_rope, positions)], dim=-1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    B, H, Q, D = query_content.shape
    R = query_rope.shape[-1]
    up = kv_up.view(H, 2, D, -1)
    c, kr = cache[..., :-R], cache[..., -R:]
    pos = torch.stack([torch.arange(n - Q, n, device=cache.device) for n in lengths.tolist()])
    s = (query_content @ up[:, 0]) @ c[:, None].mT + rot(query_rope, pos[:, None]) @ kr[:, None].mT
    s = s * (D + R) ** -0.5
    s = s.masked_fill(torch.arange(c.shape[1], device=c.device) > pos[:, None, :, None], float("-inf"))
    return (s.softmax(-1) @ c[:, None]) @ up[:, 1].mT
