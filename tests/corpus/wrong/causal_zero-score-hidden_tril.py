# wrong: causal zero-score-hidden line 22
import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    """GPT attention.  block_size only bounds the length; the mask comes out of tril."""

    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.H = num_heads
        self.block_size = block_size
        self.Wqkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.Wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x):
        N, L, E = x.shape
        assert L <= self.block_size
        D = E // self.H
        q, k, v = self.Wqkv(x).reshape(N, L, 3, self.H, D).permute(2, 0, 3, 1, 4).unbind(0)
        att = torch.tril(q @ k.transpose(2, 3) / D ** 0.5)
        att = att.masked_fill(att == 0, float("-inf"))
        att = torch.softmax(att, dim=3)
        return self.Wo((att @ v).permute(0, 2, 1, 3).flatten(2))
