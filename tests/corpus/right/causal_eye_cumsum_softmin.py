# right: causal
import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.block_size = block_size
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x):
        b, t, d = x.shape
        assert t <= self.block_size
        q, k, v = self.qkv(x).reshape(b, t, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        # a running sum down the columns of the identity: ones on and below the diagonal
        seen = torch.eye(t, device=x.device).cumsum(dim=0) > 0
        distance = -(q @ k.transpose(-1, -2)) / self.head_dim**0.5
        weights = F.softmin(distance.masked_fill(~seen, float("inf")), dim=-1)
        return self.proj((weights @ v).transpose(1, 2).reshape(b, t, d))
