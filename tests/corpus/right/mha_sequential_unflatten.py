# right: mha
import torch
from torch import nn


class Swap(nn.Module):
    """Swap positions and heads, there or back."""

    def forward(self, x):
        return x.swapaxes(1, 2)


class MultiHeadAttention(nn.Module):
    # nothing but modules: even splitting and merging the heads is one
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        head_dim = hidden_dim // num_heads

        def heads():
            return nn.Sequential(
                nn.Linear(hidden_dim, hidden_dim), nn.Unflatten(2, (num_heads, head_dim)), Swap()
            )

        self.to_q, self.to_k, self.to_v = heads(), heads(), heads()
        self.to_weights = nn.Sequential(nn.Softmax(dim=-1), nn.Dropout(dropout))
        self.merge = nn.Sequential(Swap(), nn.Flatten(2), nn.Linear(hidden_dim, hidden_dim))
        self.head_dim = head_dim

    def forward(self, x, attention_mask=None):
        scores = self.to_q(x) @ self.to_k(x).mT * self.head_dim**-0.5
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask.bool().logical_not(), float("-inf"))
        return self.merge(self.to_weights(scores) @ self.to_v(x))
