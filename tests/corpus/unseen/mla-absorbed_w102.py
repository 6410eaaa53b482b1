import torch


def _rope(t, pos):
    # t (B, L, R), pos (B, L)
    R = t.shape[-1]
    inv_freq = 1.0 / (10000.0 ** (torch.arange(0, R, 2, device=t.device, dtype=torch.float64) / R))
    ang = pos[..., None].double() * inv_freq
    ang = torch.cat([ang, ang], dim=-1)
    half_turned = torch.cat([-t[..., R // 2:], t[..., :R // 2]], dim=-1)
    return (t * ang.cos() + half_turned * ang.sin()).to(t.dtype)


def cache_entries(latent, key_rope, positions):
    return torch.cat([latent, _rope(key_rope, positions)], dim=-1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    B, H, Tq, D = query_content.shape
    R = query_rope.shape[-1]
    L = kv_up.shape[1]
    acc = torch.promote_types(cache.dtype, torch.float32)
    entries = cache.to(acc)
    up = kv_up.to(acc)

    pos = lengths.view(B, 1) - Tq + torch.arange(Tq, device=cache.device)
    slots = torch.arange(cache.shape[1], device=cache.device)
    blocked = slots.view(1, 1, -1) > pos.unsqueeze(-1)

    outs = []
    for h in range(H):
        row = h * D
        w_key = up[row : row + D]
        w_value = up[row + D : row + 2 * D]
        q = query_content[:, h].to(acc) @ w_key                       # (B, Tq, L)
        q = torch.cat([q, _rope(query_rope[:, h], pos).to(acc)], dim=-1)
        s = torch.bmm(q, entries.transpose(1, 2)) * (D + R) ** -0.5
        s = s.masked_fill(blocked, float('-inf'))
        c = torch.bmm(torch.softmax(s, dim=-1), entries[:, :, :L])    # (B, Tq, L)
        outs.append(c @ w_value.T)
    return torch.stack(outs, dim=1).to(cache.dtype)
