# self-attention, one head, index notation throughout
#
#   q_ia = x_ic Wq_ac + bq_a      (same for k, v)
#   E_ij = -q_ia k_ja / sqrt(d)   "energy" of the pair
#   A_ij = exp(-E_ij) / Z_i
#   y_ic = Wo_ca A_ij v_ja
from __future__ import annotations

import math

import torch
from torch import Tensor, nn

LOG2E = 1.4426950408889634074


def boltzmann(minus_energy: Tensor) -> Tensor:
    """2^(L_ij) / sum_j 2^(L_ij), with the largest exponent taken out first. -inf = forbidden state."""
    top = minus_energy.amax(-1, keepdim=True)
    top = torch.where(top == -math.inf, torch.zeros_like(top), top)  # a row with no states at all
    w = torch.exp2(minus_energy - top)
    Z = w.sum(-1, keepdim=True)
    return w / torch.where(Z == 0, torch.ones_like(Z), Z)


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.d, self.p = hidden_dim, float(dropout)
        for s in "qkvo":
            r = hidden_dim**-0.5
            self.register_parameter(f"W{s}", nn.Parameter(r * (2 * torch.rand(hidden_dim, hidden_dim) - 1)))
            self.register_parameter(f"b{s}", nn.Parameter(torch.zeros(hidden_dim)))

    def lin(self, s: str, x: Tensor) -> Tensor:
        return torch.einsum("bic,ac->bia", x, getattr(self, "W" + s)) + getattr(self, "b" + s)

    def noise(self, A: Tensor) -> Tensor:
        # each link i<-j is cut with probability p, the survivors are made stronger by 1/(1-p)
        if not self.training or self.p <= 0.0:
            return A
        if self.p >= 1.0:
            return A * 0.0
        alive = torch.rand_like(A) >= self.p
        return torch.where(alive, A / (1.0 - self.p), torch.zeros_like(A))

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = (self.lin(s, x) for s in "qkv")
        wide = torch.promote_types(x.dtype, torch.float32)
        # log2(e) goes into q once, so the exponentials are plain powers of two
        L = torch.einsum("bia,bja->bij", q.to(wide) * (LOG2E / math.sqrt(self.d)), k.to(wide))
        if attention_mask is not None:
            forbidden = attention_mask == 0
            L = torch.where(forbidden, torch.full_like(L, -math.inf), L)
        A = self.noise(boltzmann(L)).to(v.dtype)
        return self.lin("o", torch.einsum("bij,bja->bia", A, v))
