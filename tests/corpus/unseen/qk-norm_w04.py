# attn-kata: qk-norm
import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.query_gain = nn.Parameter(torch.ones(self.head_dim))
        self.key_gain = nn.Parameter(torch.ones(self.head_dim))

    def forward(self, x: Tensor) -> Tensor:
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        q = F.normalize(q, dim=-1, eps=1e-6) * self.query_gain
        k = F.normalize(k, dim=-1, eps=1e-6) * self.key_gain
        s = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        s = s.masked_fill(torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1), -math.inf)
        y = (s.softmax(-1) @ v).transpose(1, 2).reshape(b, t, c)
        return self.proj(y)
