# right: flash-backward
import torch


def tile_grads(q, k, v, lse, delta, go, hidden):
    """One tile of keys against all queries: q is scaled already."""
    s = torch.bmm(q, k.transpose(1, 2))
    p = torch.exp(s - lse)
    if hidden is not None:
        p = p.masked_fill(hidden, 0)
    dp = torch.bmm(go, v.transpose(1, 2))
    ds = p.mul(dp.sub(delta))
    return torch.bmm(ds, k), torch.bmm(ds.transpose(1, 2), q), torch.bmm(p.transpose(1, 2), go)


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    b, h, n, d = query.shape
    e = value.shape[-1]
    q, k, v = query.reshape(b * h, n, d) / d**0.5, key.reshape(b * h, n, d), value.reshape(b * h, n, e)
    go = grad_output.reshape(b * h, n, e)
    delta = (go * output.reshape(b * h, n, e)).sum(-1, keepdim=True)
    lse = lse.reshape(b * h, n, 1)
    dq = torch.zeros_like(q)
    dk = torch.empty_like(k)
    dv = torch.empty_like(v)
    rows = torch.arange(n, device=q.device)[:, None]
    lo = 0
    while lo < n:
        hi = min(lo + block_size, n)
        hidden = rows < torch.arange(lo, hi, device=q.device) if causal else None
        part, dk[:, lo:hi], dv[:, lo:hi] = tile_grads(q, k[:, lo:hi], v[:, lo:hi], lse, delta, go, hidden)
        dq += part
        lo = hi
    dq = dq / d**0.5
    return dq.reshape(b, h, n, d), dk.reshape(b, h, n, d), dv.reshape(b, h, n, e)
