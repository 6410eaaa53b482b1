# attn-kata: sinks
import math
import torch
from torch import nn, Tensor


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.sm_scale = 1 / math.sqrt(self.head_dim)
        self.sinks = nn.Parameter(torch.empty(num_heads).normal_(std=0.5))
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        b, n, c = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.num_heads, self.head_dim).unbind(2)
        QK = torch.einsum("bqhd,bkhd->bhqk", q, k)
        mask = torch.triu(QK.new_full((n, n), -float("inf")), diagonal=1)
        QK = QK + mask[None, None]
        S = self.sinks.reshape(1, self.num_heads, 1, 1).expand(b, -1, n, -1)
        QK = torch.cat([QK, S], dim=-1)
        W = torch.softmax(QK * self.sm_scale, dim=-1)
        W = W[..., :-1]
        attn = torch.einsum("bhqk,bkhd->bqhd", W, v)
        return self.out(attn.reshape(b, n, c))
