# wrong: mla-absorbed softmax-unstable line 25
import torch


def _rope(x, pos):
    d = x.shape[-1]
    ang = pos.double()[..., None] * 10000.0 ** (-torch.arange(0, d, 2, device=x.device).double() / d)
    a, b = x.double().chunk(2, -1)
    return torch.cat([a * ang.cos() - b * ang.sin(), b * ang.cos() + a * ang.sin()], -1).to(x.dtype)


def cache_entries(latent, key_rope, positions):
    return torch.cat([latent, _rope(key_rope, positions)], -1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    H, Q, D = query_content.shape[1:]
    R = query_rope.shape[-1]
    C = cache.shape[-1] - R
    up = kv_up.view(H, 2 * D, C)
    pos = lengths.view(-1, 1) + torch.arange(-Q, 0, device=cache.device)
    q = torch.cat([query_content @ up[:, :D], _rope(query_rope, pos[:, None])], -1) / (D + R) ** 0.5
    s = torch.einsum("bhqw,bkw->bhqk", q, cache)
    visible = (torch.arange(cache.shape[1], device=cache.device) <= pos[..., None])[:, None]
    e = s.exp() * visible
    w = e / e.sum(-1, keepdim=True)
    return torch.einsum("bhqk,bkc,hdc->bhqd", w, cache[..., :C], up[:, D:])
