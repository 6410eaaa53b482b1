from math import sqrt

import torch


@torch.no_grad()
def attention_backward(query, key, value, grad_output, causal=False):
    b, h, m, d = query.shape
    n, d = value.shape[2], value.shape[3]
    hi = torch.float64 if query.dtype == torch.float64 else torch.float32

    Q = query.reshape(b * h, m, -1).to(hi)
    K = key.reshape(b * h, n, -1).to(hi)
    V = value.reshape(b * h, n, -1).to(hi)
    dO = grad_output.reshape(b * h, m, -1).to(hi)

    S = torch.bmm(Q, K.transpose(1, 2)) / sqrt(d)
    if causal:
        idx_q = torch.arange(m, device=S.device).view(1, m, 1) + (n - m)
        idx_k = torch.arange(n, device=S.device).view(1, 1, n)
        S.masked_fill_(idx_k > idx_q, float("-inf"))
    P = S.softmax(dim=2)

    dV = torch.bmm(P.transpose(1, 2), dO)
    dP = torch.bmm(dO, V.transpose(1, 2))
    dS = P * (dP - torch.sum(P * dP, dim=2, keepdim=True))
    dQ = torch.bmm(dS, K) / sqrt(d)
    dK = torch.bmm(dS.transpose(1, 2), Q) / sqrt(d)

    return (
        dQ.view_as(query).to(query.dtype),
        dK.view_as(key).to(key.dtype),
        dV.view_as(value).to(value.dtype),
    )
