import math

import torch
from torch import Tensor


class TileWeights:
    """Recovers the softmax weights of one tile of keys from the saved log-sum-exp."""

    def __init__(self, q: Tensor, lse: Tensor, causal: bool):
        self.q, self.lse, self.causal = q, lse, causal
        self.inv_sqrt_d = 1.0 / math.sqrt(q.shape[-1])

    def __call__(self, k: Tensor, first: int) -> Tensor:
        s = torch.matmul(self.q, k.transpose(-1, -2)) * self.inv_sqrt_d
        e = torch.clamp(s - self.lse, max=0.0)
        p = torch.exp(e)
        return p.tril(-first) if self.causal else p


def flash_backward(
    query: Tensor, key: Tensor, value: Tensor, output: Tensor, lse: Tensor, grad_output: Tensor,
    block_size: int, causal: bool = False,
):
    work = torch.promote_types(query.dtype, torch.float32)
    Q, K, V = query.to(work), key.to(work), value.to(work)
    dO = grad_output.to(work)
    D = torch.sum(dO * output.to(work), dim=-1, keepdim=True)
    weights = TileWeights(Q, lse.to(work).unsqueeze(-1), causal)

    dQ, dK, dV = torch.zeros_like(Q), torch.empty_like(K), torch.empty_like(V)
    for first in range(0, K.shape[-2], block_size):
        span = slice(first, first + block_size)
        P = weights(K[..., span, :], first)
        dP = torch.matmul(dO, V[..., span, :].transpose(-1, -2))
        dS = P * (dP - D) * weights.inv_sqrt_d
        dV[..., span, :] = torch.matmul(P.transpose(-1, -2), dO)
        dK[..., span, :] = torch.matmul(dS.transpose(-1, -2), Q)
        dQ += torch.matmul(dS, K[..., span, :])
    return dQ.to(query.dtype), dK.to(key.dtype), dV.to(value.dtype)
