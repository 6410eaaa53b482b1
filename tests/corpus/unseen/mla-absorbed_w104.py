import math
import torch
import torch.nn.functional as F

def rope_cache(pos, dim):
    theta = 1.0 / (10000 ** (torch.arange(0, dim, 2, device=pos.device).double() / dim))
    ang = pos.double()[..., None] * theta
    ang = torch.cat([ang, ang], dim=-1)
    return ang.cos(), ang.sin()

def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat([-x2, x1], dim=-1)

def apply_rope(x, pos):
    cos, sin = rope_cache(pos, x.size(-1))
    return x * cos.to(x.dtype) + rotate_half(x) * sin.to(x.dtype)

def cache_entries(latent, key_rope, positions):
    ct = torch.promote_types(latent.dtype, torch.float32)
    return torch.cat([latent, apply_rope(key_rope.to(ct), positions).to(latent.dtype)], dim=-1)

def attend(q, kv, mask, n_latent):
    # q (B, T, W), kv (B, S, W): multi-query attention, values are the front of the keys
    att = (q @ kv.transpose(1, 2)) / math.sqrt(q.size(-1))
    att = att.masked_fill(~mask, float('-inf'))
    att = F.softmax(att, dim=-1)
    return att @ kv[..., :n_latent]

def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    B, nh, T, hs = query_content.size()
    S = cache.size(1)
    nl = cache.size(2) - query_rope.size(3)
    ct = torch.promote_types(cache.dtype, torch.float32)

    pos = lengths.view(B, 1) - T + torch.arange(T, device=cache.device) # (B, T)
    mask = torch.arange(S, device=cache.device) <= pos.unsqueeze(-1) # (B, T, S)
    kv = cache.to(ct).clone()
    kv[torch.arange(S, device=cache.device) >= lengths.view(B, 1)] = 0

    W = kv_up.view(nh, 2, hs, nl)
    y = []
    for h in range(nh):
        wk, wv = W[h].to(ct)
        q = torch.cat([query_content[:, h].to(ct) @ wk, apply_rope(query_rope[:, h].to(ct), pos)], dim=-1)
        y.append(F.linear(attend(q, kv, mask, nl), wv))
    return torch.stack(y, dim=1).to(query_content.dtype)
