import torch


def turn(t, p):
    # t (..., n, r), p (..., n)
    r = t.shape[-1] // 2
    f = 10000.0 ** (-torch.arange(r, dtype=torch.float32, device=t.device) / r)
    a = p.float()[..., None] * f
    c, s = a.cos().to(t.dtype), a.sin().to(t.dtype)
    x, y = t[..., :r], t[..., r:]
    return torch.cat([x * c - y * s, y * c + x * s], -1)


def cache_entries(latent, key_rope, positions):
    return torch.cat([latent, turn(key_rope, positions)], -1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    b, h, n, d = query_content.shape
    r = query_rope.shape[-1]
    up_k, up_v = kv_up.view(2, h, d, -1)
    latent, k_r = cache[..., :-r], cache[..., -r:]
    pos = (lengths - n)[:, None] + torch.arange(n, device=lengths.device)
    q = torch.cat([torch.einsum("bhnd,hdl->bhnl", query_content, up_k), turn(query_rope, pos[:, None])], -1)
    outs = []
    for i in range(h):
        s = q[:, i] @ cache.mT * (d + r) ** -0.5
        s = s.masked_fill(torch.arange(cache.shape[1], device=s.device) > pos[..., None], -torch.inf)
        outs.append((s.softmax(-1) @ latent.where((torch.arange(cache.shape[1], device=s.device) < lengths[:, None])[..., None], 0)) @ up_v[i].mT)
    return torch.stack(outs, 1)
