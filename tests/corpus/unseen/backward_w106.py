import torch


@torch.no_grad()
def attention_backward(query, key, value, grad_output, causal=False):
    scale = query.shape[-1] ** -0.5
    q = query * scale
    k, v, do = key, value, grad_output

    att = q @ k.mT
    if causal:
        Tq, Tk = att.shape[-2:]
        keep = torch.ones(Tq, Tk, dtype=torch.bool, device=q.device).tril(Tk - Tq)
        att = att.masked_fill(~keep, float("-inf"))
    p = att.softmax(-1)

    # dV
    dv = p.mT @ do

    # through the softmax
    dp = do @ v.mT
    ds = p * (dp - (p * dp).sum(-1, keepdim=True))

    # dQ, dK
    dq = ds @ k * scale
    dk = ds.mT @ q * scale
    return dq, dk, dv
