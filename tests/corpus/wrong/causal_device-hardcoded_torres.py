# wrong: causal device-hardcoded line 18
import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).reshape(b, t, 3, self.num_heads, c // self.num_heads).permute(2, 0, 3, 1, 4)
        s = torch.matmul(q, k.transpose(-2, -1)) / (c // self.num_heads) ** 0.5
        i, j = torch.triu_indices(t, t, offset=1)
        future = torch.zeros(t, t, dtype=torch.bool)
        future[i, j] = True
        s = s + torch.zeros_like(s).masked_fill(future, float("-inf"))
        return self.o(torch.matmul(torch.softmax(s, dim=-1), v).transpose(1, 2).reshape(b, t, c))
