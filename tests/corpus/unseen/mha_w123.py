import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.Q = nn.Linear(hidden_dim, hidden_dim)
        self.K = nn.Linear(hidden_dim, hidden_dim)
        self.V = nn.Linear(hidden_dim, hidden_dim)
        self.O = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def fold(self, t):
        # (N, T, C) -> (h*N, T, C/h)
        return torch.cat(torch.split(t, t.size(-1) // self.h, dim=-1), dim=0)

    def unfold(self, t):
        # (h*N, T, C/h) -> (N, T, C)
        return torch.cat(torch.chunk(t, self.h, dim=0), dim=-1)

    def forward(self, x, attention_mask=None):
        N, T, C = x.size()
        Q_, K_, V_ = self.fold(self.Q(x)), self.fold(self.K(x)), self.fold(self.V(x))
        S = torch.bmm(Q_, K_.transpose(1, 2)) / (C // self.h) ** 0.5
        if attention_mask is not None:
            M = attention_mask.expand(N, self.h, T, T)
            M = M.reshape(N * self.h, T, T)
            S = S.masked_fill(M == 0, torch.finfo(S.dtype).min)
        A = self.drop(torch.softmax(S, dim=-1))
        return self.O(self.unfold(torch.bmm(A, V_)))
