import torch
from torch import nn


class SinkAttention(nn.Module):
    """gpt-oss style learned sinks"""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.sinks = nn.Parameter(torch.zeros(num_heads))

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.num_heads, self.head_dim).unbind(2)
        QK = torch.einsum("bqhd,bkhd->bhqk", q, k) * self.head_dim ** -0.5
        mask = torch.triu(QK.new_full((T, T), float("-inf")), diagonal=1)
        QK = QK + mask
        S = self.sinks.view(1, -1, 1, 1).expand(B, -1, T, 1)
        QK = torch.cat([S, QK], dim=-1)
        W = torch.softmax(QK, dim=-1)
        W = W[..., :-1]
        out = torch.einsum("bhqk,bkhd->bqhd", W, v).reshape(B, T, C)
        return self.out(out)
