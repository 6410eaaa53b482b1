import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.nh = num_heads
        self.hs = hidden_dim // num_heads
        self.bs = block_size
        self.k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        B, T, C = x.shape
        k, q, v = [f(x).view(B, T, self.nh, self.hs).transpose(1, 2) for f in (self.k, self.q, self.v)]
        wei = q @ k.transpose(-2, -1) * self.hs ** -0.5
        wei = torch.tril(wei)
        wei = wei.masked_fill(wei == 0, float("-inf"))
        wei = F.softmax(wei, dim=-1)
        y = (wei @ v).transpose(1, 2).reshape(B, T, C)
        return self.proj(y)
