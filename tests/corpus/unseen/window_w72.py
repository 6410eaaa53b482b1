import math

import torch

TILE = 32


def window_attention(query, key, value, window):
    """Tiled over keys, one block of query rows at a time; nothing (length, length) is stored."""
    B, H, L, D = query.shape
    scale = 1.0 / math.sqrt(D)
    neg_inf = float("-inf")
    dev = query.device
    out_tiles = []
    for q0 in range(0, L, TILE):
        q1 = min(q0 + TILE, L)
        q = query[:, :, q0:q1] * scale
        rows = torch.arange(q0, q1, device=dev)[:, None]
        m = query.new_full((B, H, q1 - q0, 1), torch.finfo(query.dtype).min)
        l = query.new_zeros((B, H, q1 - q0, 1))
        o = torch.zeros_like(value[:, :, q0:q1])

        first = max(0, q0 - window + 1)
        for k0 in range(first, q1, TILE):
            k1 = min(k0 + TILE, q1)
            cols = torch.arange(k0, k1, device=dev)[None, :]
            ok = (cols <= rows) & (cols > rows - window)
            s = (q @ key[:, :, k0:k1].transpose(2, 3)).masked_fill(~ok, neg_inf)

            m_new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
            p = torch.exp(s - m_new)
            alpha = torch.exp(m - m_new)
            l = l * alpha + p.sum(dim=-1, keepdim=True)
            o = o + p @ value[:, :, k0:k1]
            m = m_new
        out_tiles.append(o / l)
    return torch.cat(out_tiles, dim=2)
