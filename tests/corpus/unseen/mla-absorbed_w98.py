import math

import torch


def apply_rope(x, positions):
    # x: (..., T, R), positions broadcasts to (..., T)
    half = x.size(-1) // 2
    inv_freq = 10000.0 ** (-torch.arange(half, device=x.device, dtype=torch.float64) / half)
    angles = positions.to(torch.float64)[..., None] * inv_freq
    cos, sin = angles.cos(), angles.sin()
    x1, x2 = x[..., :half].double(), x[..., half:].double()
    return torch.cat([x1 * cos - x2 * sin, x2 * cos + x1 * sin], dim=-1).to(x.dtype)


def cache_entries(latent, key_rope, positions):
    return torch.cat([latent, apply_rope(key_rope, positions)], dim=-1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    B, H, T, D = query_content.shape
    R = query_rope.size(-1)
    L = kv_up.size(-1)
    S = cache.size(1)
    compute = torch.promote_types(query_content.dtype, torch.float32)

    w = kv_up.to(compute).view(2, H, D, L)
    w_uk, w_uv = w[0], w[1]

    pos = (lengths - T)[:, None] + torch.arange(T, device=cache.device)  # (B, T)
    q_rope = apply_rope(query_rope.to(compute), pos[:, None, :])
    q_lat = torch.einsum("bhtd,hdl->bhtl", query_content.to(compute), w_uk)

    valid = torch.arange(S, device=cache.device) < lengths[:, None]
    entries = cache.to(compute).masked_fill(~valid[..., None], 0.0)
    hidden = torch.arange(S, device=cache.device) > pos[..., None]  # (B, T, S)

    out = []
    for h in range(H):
        q = torch.cat([q_lat[:, h], q_rope[:, h]], dim=-1) / math.sqrt(D + R)
        scores = torch.bmm(q, entries.transpose(1, 2)).masked_fill(hidden, float("-inf"))
        ctx = torch.bmm(torch.softmax(scores, dim=-1), entries[..., :L])
        out.append(ctx @ w_uv[h].T)
    return torch.stack(out, dim=1).to(query_content.dtype)
