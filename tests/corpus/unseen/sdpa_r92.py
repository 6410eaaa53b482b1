import math
import torch


def _tiles(n, size=32):
    for a in range(0, n, size):
        yield a, min(a + size, n)


def _rows_of(mask, a, b, k):
    """rows a ... b of the mask and its first k columns; an axis of one row stays one row"""
    if mask is None:
        return None
    rows = mask if mask.shape[-2] == 1 else mask[..., a:b, :]
    return rows if rows.shape[-1] == 1 else rows[..., :k]


def attention(query, key, value, mask=None, causal=False):
    """Queries in tiles. With causal a tile reads the keys up to its last query's position, no more."""
    dtype = query.dtype
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    query, key, value = query.to(wide), key.to(wide), value.to(wide)
    q_len, k_len = query.shape[-2], key.shape[-2]
    shift = k_len - q_len

    out = []
    for a, b in _tiles(q_len):
        k = shift + b if causal else k_len
        s = torch.einsum("...qd,...kd->...qk", query[..., a:b, :], key[..., :k, :])
        s = s * (1 / math.sqrt(query.shape[-1]))
        seen = torch.ones(b - a, k, dtype=torch.bool, device=s.device)
        if causal:
            seen = seen.tril(shift + a)
        rows = _rows_of(mask, a, b, k)
        if rows is not None:
            seen = seen & rows.bool()
        s = s.masked_fill(seen.logical_not(), torch.finfo(wide).min)
        e = torch.exp(s - s.amax(-1, keepdim=True))
        out.append((e @ value[..., :k, :]) / e.sum(-1, keepdim=True))
    return torch.cat(out, -2).to(dtype)


if __name__ == "__main__":
    torch.manual_seed(0)
    q, k, v = (torch.randn(2, 3, n, 8) for n in (4, 6, 6))
    full = attention(q, k, v, causal=True)
    last = attention(q[:, :, -1:], k, v, causal=True)
    print((full[:, :, -1:] - last).abs().max())
