import math

import torch
from torch import Tensor

ROWS = 48


@torch.no_grad()
def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    """Blocks of query rows: each row's softmax is complete, dK and dV are summed over blocks."""
    wide = torch.promote_types(query.dtype, torch.float32)
    Q, K, V, dO = (t.to(wide) for t in (query, key, value, grad_output))
    n_q, n_k, d = Q.shape[-2], K.shape[-2], Q.shape[-1]
    scale = 1 / math.sqrt(d)
    cols = torch.arange(n_k, device=Q.device)

    dK, dV = torch.zeros_like(K), torch.zeros_like(V)
    dQ = []
    for lo in range(0, n_q, ROWS):
        hi = min(n_q, lo + ROWS)
        q, g = Q[..., lo:hi, :], dO[..., lo:hi, :]
        S = torch.einsum("...qd,...kd->...qk", q, K) * scale
        if causal:
            own = torch.arange(lo, hi, device=Q.device) + (n_k - n_q)
            S = S.masked_fill(cols > own[:, None], -math.inf)
        P = S.softmax(-1)
        O = P @ V
        D = (g * O).sum(-1, keepdim=True)
        dS = P * (g @ V.mT - D)
        dV += P.mT @ g
        dK += dS.mT @ q * scale
        dQ.append(dS @ K * scale)
    return torch.cat(dQ, -2).to(query.dtype), dK.to(key.dtype), dV.to(value.dtype)
