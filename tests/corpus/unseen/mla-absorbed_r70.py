import torch


def _turn(t, pos):
    """t (..., R), pos broadcasts to t's leading axes"""
    R = t.shape[-1]
    wide = torch.promote_types(t.dtype, torch.float32)
    inv = torch.tensor([10000.0 ** (-2 * i / R) for i in range(R // 2)], dtype=torch.float64, device=t.device)
    ang = pos.unsqueeze(-1).double() * inv
    c, s = ang.cos().to(wide), ang.sin().to(wide)
    a, b = t.to(wide).chunk(2, -1)
    return torch.cat((a * c - b * s, b * c + a * s), dim=-1)


def cache_entries(latent, key_rope, positions):
    return torch.cat((latent, _turn(key_rope, positions).to(latent.dtype)), -1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    B, H, Tq, D = query_content.shape
    R, L = query_rope.shape[-1], kv_up.shape[-1]
    wide = torch.promote_types(query_content.dtype, torch.float32)
    U, V = kv_up.view(H, 2, D, L).to(wide).unbind(1)
    rows = []
    for b in range(B):
        n = int(lengths[b])
        mem = cache[b, :n].to(wide)
        pos = torch.arange(n - Tq, n, device=cache.device)
        q = torch.cat((query_content[b].to(wide) @ U, _turn(query_rope[b], pos)), -1)    # H Tq L+R
        per_head = []
        for h in range(H):
            s = q[h] @ mem.T / (D + R) ** 0.5
            s = s.masked_fill(torch.arange(n, device=cache.device) > pos[:, None], -torch.inf)
            per_head.append((s.softmax(-1) @ mem[:, :L]) @ V[h].T)
        rows.append(torch.stack(per_head))
    return torch.stack(rows).to(query_content.dtype)
