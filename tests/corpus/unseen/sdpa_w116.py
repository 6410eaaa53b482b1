import torch


def _allowed(mask, lo, hi, n_k):
    if mask is None:
        return None
    return (mask.expand(*mask.shape[:-1], n_k) != 0)[..., lo:hi]


def attention(query, key, value, mask=None, causal=False, tile=32):
    nq, nk = query.shape[2], key.shape[2]
    low = torch.finfo(query.dtype).min
    q = query * query.shape[3] ** -0.5
    idx_q = torch.arange(nq, device=query.device).view(-1, 1)
    m = torch.full_like(q[..., :1], low)
    z = torch.zeros_like(m)
    o = 0
    for lo in range(0, nk, tile):
        hi = min(lo + tile, nk)
        s = torch.einsum("bhid,bhjd->bhij", q, key[:, :, lo:hi])
        ok = _allowed(mask, lo, hi, nk)
        if ok is not None:
            s = s.masked_fill(~ok, low)
        if causal:
            idx_k = torch.arange(lo, hi, device=query.device)
            s = s.masked_fill(idx_k > idx_q, low)
        m2 = torch.maximum(m, s.amax(-1, keepdim=True).detach())
        a, p = torch.exp(m - m2), torch.exp(s - m2)
        z = z * a + p.sum(-1, keepdim=True)
        o = o * a + p @ value[:, :, lo:hi]
        m = m2
    return o / z
