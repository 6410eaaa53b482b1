import torch
from torch import nn
from torch.nn import functional as F


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n_heads, self.head_dim = num_heads, hidden_dim // num_heads
        self.wqkv = nn.Linear(hidden_dim, hidden_dim * 3)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.sinks = nn.Parameter(torch.zeros(num_heads))

    def sdpa(self, Q, K, V, S):
        # Q, K, V: b h t d
        b, h, t, d = Q.shape
        QK = torch.matmul(Q, K.transpose(2, 3)) * d**-0.5
        mask = torch.triu(QK.new_full((t, t), -float("inf")), diagonal=1)
        QK = torch.cat([QK + mask, S], dim=-1)
        W = F.softmax(QK, dim=-1)
        return torch.matmul(W[..., :-1], V)

    def forward(self, x):
        b, t, c = x.shape
        Q, K, V = self.wqkv(x).chunk(3, dim=2)
        Q = Q.reshape(b, t, self.n_heads, self.head_dim).transpose(1, 2)
        K = K.reshape(b, t, self.n_heads, self.head_dim).transpose(1, 2)
        V = V.reshape(b, t, self.n_heads, self.head_dim).transpose(1, 2)
        S = self.sinks.expand(b, self.n_heads, t, 1)
        out = self.sdpa(Q, K, V, S)
        return self.wo(out.transpose(1, 2).contiguous().view(b, t, c))
