# attn-kata: backward
from math import prod

import torch
from torch import Tensor, baddbmm, bmm


def attention_backward(query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False):
    B, H, M, D = query.shape
    N, E = value.shape[2:]
    q, k, v, g = (t.reshape(prod(t.shape[:2]), *t.shape[2:]) for t in (query, key, value, grad_output))
    alpha = D ** -0.5

    # bias carries the mask, so that one baddbmm makes the scores
    bias = q.new_zeros(M, N)
    if causal:
        late = torch.ones(M, N, dtype=torch.bool, device=q.device).triu(N - M + 1)
        bias[late] = float("-inf")
    p = baddbmm(bias, q, k.mT, alpha=alpha).softmax(-1)

    out = bmm(p, v)
    corr = torch.linalg.vecdot(g, out).unsqueeze(-1)
    ds = p * baddbmm(corr, g, v.mT, beta=-1)

    dq = alpha * bmm(ds, k)
    dk = alpha * bmm(ds.mT, q)
    dv = bmm(p.mT, g)
    return dq.view(B, H, M, D), dk.view(B, H, N, D), dv.view(B, H, N, E)
