import math

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """multi-head attention from my bootcamp capstone"""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        if hidden_dim % num_heads != 0:
            raise ValueError("hidden_dim has to be divisible by num_heads")
        self.hidden_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.drop_rate = dropout

        self.query_layer = nn.Linear(hidden_dim, hidden_dim)
        self.key_layer = nn.Linear(hidden_dim, hidden_dim)
        self.value_layer = nn.Linear(hidden_dim, hidden_dim)
        self.output_layer = nn.Linear(hidden_dim, hidden_dim)

    def drop(self, weights: Tensor) -> Tensor:
        if self.train and self.drop_rate > 0:
            keep = (torch.rand_like(weights) >= self.drop_rate).to(weights.dtype)
            weights = weights * keep / (1 - self.drop_rate)
        return weights

    def split(self, t: Tensor) -> Tensor:
        b, n, _ = t.shape
        return t.view(b, n, self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, n, _ = x.shape
        q = self.split(self.query_layer(x))
        k = self.split(self.key_layer(x))
        v = self.split(self.value_layer(x))

        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        weights = self.drop(weights)

        out = weights @ v
        out = out.transpose(1, 2).contiguous().view(b, n, self.hidden_dim)
        return self.output_layer(out)
