# wrong: mha value-not-projected line 17
import torch
from torch import nn, Tensor


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.W = nn.ModuleDict({k: nn.Linear(hidden_dim, hidden_dim) for k in "qkvo"})
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        b, n, c = x.shape
        d = c // self.num_heads
        q, k = (self.W[s](x).view(b, n, self.num_heads, d).transpose(1, 2) for s in "qk")
        v = x.view(b, n, self.num_heads, d).transpose(1, 2)
        s = q @ k.transpose(-2, -1) / d ** 0.5
        if mask is not None:
            s = s.masked_fill(mask == 0, float("-inf"))
        w = self.dropout(s.softmax(-1))
        return self.W["o"]((w @ v).transpose(1, 2).reshape(b, n, c))
