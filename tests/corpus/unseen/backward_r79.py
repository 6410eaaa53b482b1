import math
import torch


def _fold(t):
    return t.flatten(0, 1)


@torch.no_grad()
def attention_backward(query, key, value, grad_output, causal: bool = False):
    shape_q, shape_k, shape_v = query.shape, key.shape, value.shape
    dt = query.dtype
    if dt in (torch.float16, torch.bfloat16):
        query, key, value, grad_output = query.float(), key.float(), value.float(), grad_output.float()
    q, k, v, go = map(_fold, (query, key, value, grad_output))
    scale = 1.0 / math.sqrt(q.size(2))

    # log-weights straight from a baddbmm: beta * hidden + alpha * q k^T
    hidden = q.new_zeros(q.size(1), k.size(1))
    if causal:
        hidden = hidden.masked_fill_(torch.ones_like(hidden).triu(k.size(1) - q.size(1) + 1).bool(), -torch.inf)
    logits = torch.baddbmm(hidden.expand(q.size(0), -1, -1), q, k.mT, alpha=scale)
    logp = logits - torch.logsumexp(logits, 2, keepdim=True)
    p = logp.exp()

    dv = torch.bmm(p.mT, go)
    dp = torch.bmm(go, v.mT)
    # s -> ds :  p*dp - p * <p, dp>
    pdp = p * dp
    ds = torch.addcmul(pdp, p, pdp.sum(2, keepdim=True).expand_as(p), value=-1)
    dq = torch.baddbmm(torch.zeros_like(q), ds, k, beta=0, alpha=scale)
    dk = torch.baddbmm(torch.zeros_like(k), ds.mT, q, beta=0, alpha=scale)
    return dq.view(shape_q).to(dt), dk.view(shape_k).to(dt), dv.view(shape_v).to(dt)
