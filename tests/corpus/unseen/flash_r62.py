# Ring-attention view: every tile yields a finished (output, log-sum-exp) pair, and pairs are merged
# two by two. Nothing else has to be remembered.
from functools import reduce

import torch


def _partials(q, k, v, width, causal):
    n = k.size(1)
    row = torch.arange(q.size(1), device=q.device).unsqueeze(-1)
    for lo in range(0, n, width):
        ks, vs = (t.narrow(1, lo, min(width, n - lo)) for t in (k, v))
        s = torch.einsum("zid,zjd->zij", q, ks)
        if causal:
            col = lo + torch.arange(ks.size(1), device=q.device)
            s = s.masked_fill(col > row, float("-inf"))
        lse = torch.logsumexp(s, dim=-1, keepdim=True)
        safe = lse.masked_fill(lse.isneginf(), 0.0)
        yield torch.einsum("zij,zjd->zid", (s - safe).exp(), vs), lse


def _merge(left, right):
    (o1, l1), (o2, l2) = left, right
    l = torch.logaddexp(l1, l2)
    return o1 * (l1 - l).exp() + o2 * (l2 - l).exp(), l


def flash_attention(query, key, value, block_size, causal=False):
    shape, dt = query.shape, query.dtype
    up = torch.double if dt == torch.double else torch.float
    q, k, v = (t.to(up).flatten(0, 1) for t in (query, key, value))
    out, _ = reduce(_merge, _partials(q / shape[-1] ** 0.5, k, v, block_size, causal))
    return out.to(dt).reshape(shape)
