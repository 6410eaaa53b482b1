# One (batch, head) slice after another, plain matrices only; like the dgemm version on my desk.
import math
import torch


def _slice(q, k, v, go, first_row):
    """q (m, d), k (n, d), v (n, e), go (m, e); row i sees the columns 0 .. first_row + i."""
    m, n = q.shape[0], k.shape[0]
    rs = 1.0 / math.sqrt(q.shape[1])
    a = torch.mm(q, k.t()).mul_(rs)
    if first_row is not None:
        a.masked_fill_(torch.ones(m, n, dtype=torch.bool, device=q.device).triu_(first_row + 1), -math.inf)
    a.sub_(a.max(1, keepdim=True)[0]).exp_()
    a.div_(a.sum(1, keepdim=True))
    gv = torch.mm(a.t(), go)
    b = torch.mm(go, v.t())
    b.sub_(torch.mul(a, b).sum(1, keepdim=True)).mul_(a).mul_(rs)
    return torch.mm(b, k), torch.mm(b.t(), q), gv


def attention_backward(query, key, value, grad_output, causal=False):
    prec = torch.double if query.dtype == torch.double else torch.float
    gq, gk, gv = map(torch.zeros_like, (query, key, value))
    first_row = key.shape[2] - query.shape[2] if causal else None
    for ib in range(query.shape[0]):
        for ih in range(query.shape[1]):
            parts = [x[ib, ih].to(prec) for x in (query, key, value, grad_output)]
            for dst, src in zip((gq, gk, gv), _slice(*parts, first_row)):
                dst[ib, ih].copy_(src)
    return gq, gk, gv
