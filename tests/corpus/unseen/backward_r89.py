import math

import torch


def attention_backward(query, key, value, grad_output, causal=False):
    """Row by row: a query touches the prefix that it sees, and nothing else."""
    work = torch.float64 if query.dtype == torch.float64 else torch.float32
    Q, K, V, G = [t.detach().to(work) for t in (query, key, value, grad_output)]
    n, m = Q.size(-2), K.size(-2)
    r = 1 / math.sqrt(Q.size(-1))

    dQ, dK, dV = torch.zeros_like(Q), torch.zeros_like(K), torch.zeros_like(V)
    for i in range(n):
        seen = m - n + i + 1 if causal else m
        k, v = K[..., :seen, :], V[..., :seen, :]
        q, g = Q[..., i, :], G[..., i, :]
        p = torch.softmax(torch.einsum("bhd,bhkd->bhk", q * r, k), -1)
        dp = torch.einsum("bhe,bhke->bhk", g, v)
        # (diag(p) - p p^T) dp, without the matrix
        ds = p * dp - p * (p * dp).sum(-1, keepdim=True)
        dV[..., :seen, :] += p[..., None] * g[..., None, :]
        dK[..., :seen, :] += ds[..., None] * (q * r)[..., None, :]
        dQ[..., i, :] = torch.einsum("bhk,bhkd->bhd", ds, k) * r
    return dQ.to(query.dtype), dK.to(key.dtype), dV.to(value.dtype)
