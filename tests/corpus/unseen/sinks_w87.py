import math
import torch
from torch import nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.sm_scale = 1 / math.sqrt(self.head_dim)
        self.sinks = nn.Parameter(torch.empty(num_heads).normal_())
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        n_batch, n_tokens, width = x.shape
        Q, K, V = self.qkv(x).view(n_batch, n_tokens, 3, self.num_heads, self.head_dim).unbind(2)

        QK = torch.einsum("bqhd,bkhd->bhqk", Q, K)
        mask = torch.triu(QK.new_full((n_tokens, n_tokens), -float("inf")), diagonal=1)
        QK = QK + mask

        S = self.sinks.reshape(1, self.num_heads, 1, 1).expand(n_batch, -1, n_tokens, -1)
        QK = torch.cat([QK, S], dim=-1)
        QK = QK * self.sm_scale
        W = torch.softmax(QK, dim=-1)
        W = W[..., :-1]

        attn = torch.einsum("bhqk,bkhd->bqhd", W, V)
        return self.out(attn.reshape(n_batch, n_tokens, width))
