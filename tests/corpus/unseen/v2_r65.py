"""Fused QKV self-attention, single head, written the way I would lay out a CUDA kernel."""
import math

import torch
import torch.nn.functional as F
from torch import nn


class SelfAttentionV2(nn.Module):
    # packed weight, row-major, rows [0,D) -> K, [D,2D) -> V, [2D,3D) -> Q
    K_OFF, V_OFF, Q_OFF = 0, 1, 2

    def __init__(self, hidden_dim):
        super().__init__()
        self.D = hidden_dim
        bound = 1.0 / math.sqrt(hidden_dim)
        self.W = nn.Parameter(torch.empty(3 * hidden_dim, hidden_dim).uniform_(-bound, bound))
        self.b = nn.Parameter(torch.zeros(3 * hidden_dim))

    def _plane(self, packed, which, B, L):
        D = self.D
        ld = 3 * D                       # leading dimension of the packed buffer
        return packed.as_strided((B, L, D), (L * ld, ld, 1), which * D)

    def forward(self, x):
        B, L, D = x.shape
        packed = F.linear(x, self.W, self.b).contiguous()
        q = self._plane(packed, self.Q_OFF, B, L)
        k = self._plane(packed, self.K_OFF, B, L)
        v = self._plane(packed, self.V_OFF, B, L)

        inv_sqrt_d = 1.0 / math.sqrt(D)
        rows = []
        for i in range(L):
            # s[b, j] = sum_d q[b, i, d] * k[b, j, d]
            s = (q[:, i : i + 1, :] * k).sum(-1) * inv_sqrt_d
            m = s.amax(dim=-1, keepdim=True)
            e = (s - m).exp()
            z = e.sum(dim=-1, keepdim=True)
            rows.append(((e / z).unsqueeze(-1) * v).sum(1))
        return torch.stack(rows, dim=1)
