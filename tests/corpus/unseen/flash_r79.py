"""Two-pass-free attention: pairs (output, lse) of tiles merged one after the other."""
from functools import reduce
import torch


def _tile(q, k, v, q0, k0, causal):
    s = torch.einsum("...id,...jd->...ij", q, k)
    if causal:
        rows = torch.arange(q0, q0 + q.shape[-2], device=q.device)
        cols = torch.arange(k0, k0 + k.shape[-2], device=q.device)
        s = s.masked_fill(cols > rows[:, None], -torch.inf)
    lse = torch.logsumexp(s, -1, keepdim=True)
    p = torch.exp(s - lse.nan_to_num(neginf=0.0))
    return torch.einsum("...ij,...jd->...id", p, v), lse


def _join(left, right):
    (o1, l1), (o2, l2) = left, right
    lse = torch.logaddexp(l1, l2)
    ref = lse.nan_to_num(neginf=0.0)
    return o1 * (l1 - ref).exp() + o2 * (l2 - ref).exp(), lse


def flash_attention(query, key, value, block_size, causal=False):
    low = query.dtype in (torch.float16, torch.bfloat16)
    q, k, v = (t.float() if low else t for t in (query, key, value))
    q = q * q.shape[-1] ** -0.5
    n = k.shape[-2]
    rows = []
    for q0 in range(0, n, block_size):
        qt = q[..., q0 : q0 + block_size, :]
        stop = min(n, q0 + block_size) if causal else n
        tiles = (
            _tile(qt, k[..., a : a + block_size, :], v[..., a : a + block_size, :], q0, a, causal)
            for a in range(0, stop, block_size)
        )
        rows.append(reduce(_join, tiles)[0])
    return torch.cat(rows, -2).to(query.dtype)
