import math
import torch

ROWS = 256


def _rows(q, k, v, mask, limit):
    """q: a few rows; limit: last key that each of them may see, or None."""
    s = torch.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(q.size(-1))
    lowest = torch.finfo(s.dtype).min
    if mask is not None:
        s = s.masked_fill(mask == 0, lowest)
    if limit is not None:
        cols = torch.arange(k.size(-2), device=k.device)
        s = s.masked_fill(cols > limit[:, None], lowest)
    return torch.einsum("bhqk,bhkd->bhqd", s.softmax(-1), v)


def attention(query, key, value, mask=None, causal=False):
    n_q, n_k = query.size(-2), key.size(-2)
    if n_q <= ROWS:
        limit = torch.arange(n_k - n_q, n_k, device=query.device) if causal else None
        return _rows(query, key, value, mask, limit)

    parts = []
    for lo in range(0, n_q, ROWS):
        hi = min(lo + ROWS, n_q)
        piece = mask
        if mask is not None and mask.size(-2) > 1:
            piece = mask[..., lo:hi, :]
        limit = torch.arange(lo, hi, device=query.device) if causal else None
        parts.append(_rows(query[:, :, lo:hi], key, value, piece, limit))
    return torch.cat(parts, dim=-2)
