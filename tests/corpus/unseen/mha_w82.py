from __future__ import annotations

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.H = num_heads
        self.D = hidden_dim // num_heads
        self.Wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        B, N, E = x.shape
        H, D = self.H, self.D
        assert E == H * D
        Q = self.Wq(x).view(B, N, H, D).permute(0, 2, 1, 3)   # [B, H, N, D]
        K = self.Wk(x).view(B, N, H, D).permute(0, 2, 3, 1)   # [B, H, D, N]
        V = self.Wv(x).view(B, N, H, D).permute(0, 2, 1, 3)   # [B, H, N, D]

        S = torch.matmul(Q, K) / K.size(-1) ** 0.5
        if attention_mask is not None:
            S = S.masked_fill(attention_mask.logical_not(), float("-inf"))
        P = self.drop(torch.softmax(S, dim=-1))
        assert P.shape == (B, H, N, N)

        Y = torch.matmul(P, V).permute(0, 2, 1, 3).reshape(B, N, E)
        return self.Wo(Y)
