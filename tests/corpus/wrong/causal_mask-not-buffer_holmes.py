# wrong: causal mask-not-buffer line 12
import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.bias = torch.triu(torch.full((block_size, block_size), -1e9), 1)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).reshape(b, t, 3, self.num_heads, c // self.num_heads).permute(2, 0, 3, 1, 4)
        s = torch.matmul(q, k.transpose(-2, -1)) / (c // self.num_heads) ** 0.5
        s = s + self.bias[:t, :t].to(s.dtype)
        return self.o(torch.matmul(torch.softmax(s, dim=-1), v).transpose(1, 2).reshape(b, t, c))
