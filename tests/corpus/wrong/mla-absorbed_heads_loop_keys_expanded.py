# wrong: mla-absorbed tensor-too-large line 31
import math
import torch


def rope(x, pos):
    d = x.shape[-1]
    t = torch.promote_types(x.dtype, torch.float32)
    i = torch.arange(d // 2, device=x.device, dtype=t)
    ang = pos[..., None].to(t) * torch.exp(-2 * i / d * math.log(10000.0))
    a, b = x[..., : d // 2].to(t), x[..., d // 2 :].to(t)
    return torch.cat([a * ang.cos() - b * ang.sin(), a * ang.sin() + b * ang.cos()], -1).to(x.dtype)


def cache_entries(latent, key_rope, positions):
    return torch.cat([latent, rope(key_rope, positions)], 2)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    B, H, Q, D = query_content.shape
    R = query_rope.shape[-1]
    C = cache.shape[-1] - R
    K = cache.shape[1]
    c, kr = cache[:, :, :C], cache[:, :, C:]
    pos = (lengths - Q).view(B, 1) + torch.arange(Q, device=cache.device).view(1, Q)
    hide = torch.arange(K, device=cache.device).view(1, 1, K) > pos.view(B, Q, 1)
    outs = []
    for h in range(H):
        w = kv_up[h * 2 * D : (h + 1) * 2 * D]
        uk, uv = w[:D], w[D:]
        kc = c @ uk.T  # (B, K, D)
        qr = rope(query_rope[:, h], pos)
        s = (query_content[:, h] @ kc.transpose(1, 2) + qr @ kr.transpose(1, 2)) / math.sqrt(D + R)
        s = s.masked_fill(hide, -torch.inf)
        outs.append(s.softmax(-1) @ c @ uv.T)
    return torch.stack(outs, 1)
