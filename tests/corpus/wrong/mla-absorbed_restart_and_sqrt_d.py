# wrong: mla-absorbed rope-positions-restart line 25, scale-without-rope-dim line 29
import math
import torch


def rotate(x, p):
    w = x.shape[-1]
    f = torch.promote_types(torch.float32, x.dtype)
    om = 10000 ** (torch.arange(0, w, 2, dtype=f, device=x.device) / -w)
    a = p.to(f).unsqueeze(-1) * om
    x1, x2 = x[..., : w // 2].to(f), x[..., w // 2 :].to(f)
    return torch.cat([x1 * a.cos() - x2 * a.sin(), x1 * a.sin() + x2 * a.cos()], dim=-1).to(x.dtype)


def cache_entries(latent, key_rope, positions):
    return torch.cat([latent, rotate(key_rope, positions)], dim=-1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    B, H, Q, D = query_content.shape
    R = query_rope.shape[-1]
    L = cache.shape[-1] - R
    W = kv_up.reshape(H, 2, D, L)
    steps = torch.arange(Q, device=cache.device)
    q_rope = rotate(query_rope, steps)
    q_lat = torch.einsum("bhqd,hdl->bhql", query_content, W[:, 0])
    s = torch.einsum("bhql,bkl->bhqk", q_lat, cache[:, :, :L])
    s = s + torch.einsum("bhqr,bkr->bhqk", q_rope, cache[:, :, L:])
    s = s / math.sqrt(D)
    last = (lengths - Q)[:, None, None] + steps[:, None]
    s = s.masked_fill((torch.arange(cache.shape[1], device=cache.device) > last)[:, None], -float("inf"))
    o = torch.einsum("bhqk,bkl->bhql", torch.softmax(s, -1), cache[:, :, :L])
    return torch.einsum("bhql,hdl->bhqd", o, W[:, 1])
