import math

import torch
from torch import Tensor, nn


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)
        self.q_norm = nn.RMSNorm(self.head_dim, eps=1e-6)
        self.k_norm = nn.RMSNorm(self.head_dim, eps=1e-6)

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.shape
        q, k, v = self.c_attn(x).view(B, T, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        q, k = self.q_norm(q), self.k_norm(k)
        att = (q @ k.transpose(-2, -1)) / math.sqrt(self.head_dim)
        keep = torch.tril(torch.ones(T, T, dtype=torch.bool, device=x.device))
        att = torch.softmax(att.masked_fill(~keep, -torch.inf), dim=-1)
        return self.c_proj((att @ v).transpose(1, 2).reshape(B, T, C))
