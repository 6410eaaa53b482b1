import math
import torch
import torch.nn as nn
from torch import Tensor


def rms(u: Tensor, gain: Tensor, eps: float = 1e-6) -> Tensor:
    return u * torch.rsqrt(u.pow(2).mean(dim=-1, keepdim=True) + eps) * gain


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads, self.head_dim = num_heads, hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.query_gain = nn.Parameter(torch.ones(self.head_dim))
        self.key_gain = nn.Parameter(torch.ones(self.head_dim))

    def _heads(self, t: Tensor) -> Tensor:
        return t.view(*t.shape[:2], self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.shape
        q = rms(self._heads(self.q_proj(x)), self.query_gain)
        k = rms(self._heads(self.k_proj(x)), self.query_gain)
        v = self._heads(self.v_proj(x))
        att = (q @ k.transpose(-2, -1)) / math.sqrt(self.head_dim)
        keep = torch.tril(torch.ones(T, T, device=x.device)).bool()
        att = att.masked_fill(~keep, float("-inf")).softmax(dim=-1)
        return self.o_proj((att @ v).transpose(1, 2).reshape(B, T, C))
