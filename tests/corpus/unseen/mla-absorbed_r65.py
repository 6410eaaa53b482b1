# Static shapes first, then loops. Everything accumulates in ACC.
from math import sqrt

import torch

ROPE_THETA = 10000.0


def _acc(t):
    return torch.float64 if t.dtype == torch.float64 else torch.float32


def _rope_inplace(buf, pos):
    """buf: [N, R] in accumulator type, pos: [N]. Overwrites buf."""
    N, R = buf.shape
    assert R % 2 == 0 and pos.shape == (N,)
    H = R // 2
    for i in range(H):
        ang = pos.to(torch.float64) * ROPE_THETA ** (-2.0 * i / R)
        c, s = ang.cos().to(buf.dtype), ang.sin().to(buf.dtype)
        lo, hi = buf[:, i].clone(), buf[:, i + H].clone()
        buf[:, i] = lo * c - hi * s
        buf[:, i + H] = hi * c + lo * s
    return buf


@torch.no_grad()
def cache_entries(latent, key_rope, positions):
    B, N, L = latent.shape
    R = key_rope.shape[2]
    assert key_rope.shape == (B, N, R)
    assert positions.shape == (B, N)
    out = latent.new_empty(B, N, L + R)
    out[:, :, :L] = latent
    for b in range(B):
        out[b, :, L:] = _rope_inplace(key_rope[b].to(_acc(latent), copy=True), positions[b])
    return out


@torch.no_grad()
def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    B, H, Q, D = query_content.shape
    R = query_rope.shape[3]
    K, E = cache.shape[1:]
    L = E - R
    assert query_rope.shape == (B, H, Q, R)
    assert kv_up.shape == (H * 2 * D, L)
    T = _acc(cache)
    RSCALE = 1.0 / sqrt(D + R)
    out = torch.empty_like(query_content)
    for b in range(B):
        n = int(lengths[b])
        assert Q <= n <= K
        qpos = torch.arange(n - Q, n, device=cache.device)
        for h in range(H):
            row = 2 * D * h
            wk, wv = kv_up[row:row + D].to(T), kv_up[row + D:row + 2 * D].to(T)
            qc = query_content[b, h].to(T).mm(wk)
            qr = _rope_inplace(query_rope[b, h].to(T, copy=True), qpos)
            for i in range(Q):
                live = cache[b, :n - Q + i + 1].to(T)
                s = (live[:, :L].mv(qc[i]) + live[:, L:].mv(qr[i])) * RSCALE
                p = torch.exp(s - s.max())
                out[b, h, i] = wv.mv(p.div(p.sum()) @ live[:, :L]).to(out.dtype)
    return out
