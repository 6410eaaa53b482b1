import math

import torch
import torch.nn.functional as F


def rope_halves(x, pos):
    d = x.shape[-1]
    acc = torch.promote_types(x.dtype, torch.float32)
    theta = 10000 ** (-torch.arange(0, d, 2, dtype=acc, device=x.device) / d)
    angle = pos.to(acc).unsqueeze(-1) * theta
    a, b = x[..., : d // 2].to(acc), x[..., d // 2 :].to(acc)
    left = a * angle.cos() - b * angle.sin()
    right = b * angle.cos() + a * angle.sin()
    return torch.cat([left, right], dim=-1).to(x.dtype)


def cache_entries(latent, key_rope, positions):
    turned = rope_halves(key_rope, positions)
    return torch.cat([latent, turned], dim=-1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    _, H, Q, D = query_content.shape
    R = query_rope.shape[-1]
    C = cache.shape[-1] - R
    latents, keys = cache[..., :C], cache[..., C:]
    pos = (lengths - Q)[:, None] + torch.arange(Q, device=cache.device)
    q_rope = rope_halves(query_rope, pos[:, None])
    later = torch.arange(cache.shape[1], device=cache.device) > pos[:, :, None]
    W = kv_up.view(H, 2, D, C)
    out = []
    for h in range(H):
        W_uk = W[h, 0]
        W_uv = W[h, 1]
        q_lat = query_content[:, h] @ W_uk
        s = q_lat @ latents.mT
        s = s + q_rope[:, h] @ keys.mT
        s = s / math.sqrt(D + R)
        s = s.masked_fill(later, float("-inf"))
        p = F.softmax(s, dim=-1)
        o = p @ latents
        out.append(F.linear(o, W_uv))
    return torch.stack(out, dim=1)
