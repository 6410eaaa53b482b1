# right: mqa
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        d = hidden_dim // num_heads
        self.shape = (num_heads, d)

        def mat(i: int, o: int) -> nn.Parameter:
            return nn.Parameter(nn.init.xavier_uniform_(torch.empty(i, o)))

        self.w = nn.ParameterDict(
            {
                "g": mat(hidden_dim, hidden_dim),  # back to the stream
                "phi": mat(hidden_dim, d),  # keys
                "psi": mat(hidden_dim, d),  # values
                "theta_q": mat(hidden_dim, hidden_dim),
                "theta_b": nn.Parameter(torch.zeros(num_heads, d)),
            }
        )

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        w = self.w
        q = (x @ w["theta_q"]).unflatten(-1, self.shape) + w["theta_b"]  # b t h d
        k, v = x @ w["phi"], x @ w["psi"]  # b t d
        s = torch.einsum("bqhd,bkd->bhqk", q, k) / math.sqrt(self.shape[1])
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, torch.finfo(s.dtype).min)
        y = torch.einsum("bhqk,bkd->bqhd", s.softmax(-1), v)
        return y.flatten(-2) @ w["g"]
