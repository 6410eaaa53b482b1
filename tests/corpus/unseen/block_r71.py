# attn-kata: block
# No nn.Linear, no nn.LayerNorm: weights are plain matrices, applied as x @ W (row-major thinking).
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def _layer_norm(x: Tensor, gain: Tensor, shift: Tensor) -> Tensor:
    mu = x.mean(dim=-1, keepdim=True)
    centred = x - mu
    var = centred.pow(2).mean(dim=-1, keepdim=True)
    return centred * torch.rsqrt(var + 1e-5) * gain + shift


def _gelu(x: Tensor) -> Tensor:
    return 0.5 * x * (1.0 + torch.erf(x * math.sqrt(0.5)))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.n = num_heads
        self.d = hidden_dim // num_heads

        def mat(rows: int, cols: int) -> nn.Parameter:
            return nn.Parameter(torch.randn(rows, cols) / math.sqrt(rows))

        self.g1 = nn.Parameter(torch.ones(hidden_dim))
        self.s1 = nn.Parameter(torch.zeros(hidden_dim))
        self.g2 = nn.Parameter(torch.ones(hidden_dim))
        self.s2 = nn.Parameter(torch.zeros(hidden_dim))
        self.w_q = mat(hidden_dim, hidden_dim)
        self.w_k = mat(hidden_dim, hidden_dim)
        self.w_v = mat(hidden_dim, hidden_dim)
        self.w_o = mat(hidden_dim, hidden_dim)
        self.w_up = mat(hidden_dim, 4 * hidden_dim)
        self.b_up = nn.Parameter(torch.zeros(4 * hidden_dim))
        self.w_down = mat(4 * hidden_dim, hidden_dim)
        self.b_down = nn.Parameter(torch.zeros(hidden_dim))

    def _attend(self, h: Tensor) -> Tensor:
        b, t, c = h.shape
        # explicit slices per head instead of a reshape
        outs = []
        idx = torch.arange(t, device=h.device)
        future = idx.unsqueeze(0) > idx.unsqueeze(1)
        q_all, k_all, v_all = h @ self.w_q, h @ self.w_k, h @ self.w_v
        for i in range(self.n):
            cols = slice(i * self.d, (i + 1) * self.d)
            q, k, v = q_all[..., cols], k_all[..., cols], v_all[..., cols]
            s = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.d)
            s = s.masked_fill(future, float("-inf"))
            outs.append(torch.bmm(s.softmax(dim=-1), v))
        return torch.cat(outs, dim=-1) @ self.w_o

    def _mlp(self, h: Tensor) -> Tensor:
        return _gelu(h @ self.w_up + self.b_up) @ self.w_down + self.b_down

    def forward(self, x: Tensor) -> Tensor:
        x = x + self._attend(_layer_norm(x, self.g1, self.s1))
        return x + self._mlp(_layer_norm(x, self.g2, self.s2))
