# wrong: causal causal-sees-next line 10
import torch
from torch import nn
import torch.nn.functional as F


def causal_bias(n, like):
    i = torch.arange(n, device=like.device)
    gap = i.view(1, -1) - i.view(-1, 1)
    return torch.zeros(n, n, dtype=like.dtype, device=like.device).masked_fill(gap > 1, float("-inf"))


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.in_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.in_proj(x).view(b, n, 3 * self.num_heads, self.head_dim).transpose(1, 2).chunk(3, dim=1)
        w = F.softmax(q @ k.mT * self.head_dim ** -0.5 + causal_bias(n, x), dim=-1)
        return self.out_proj((w @ v).transpose(1, 2).flatten(2))
