import torch
from torch import nn, Tensor
import torch.nn.functional as F


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.q_norm = nn.RMSNorm(hidden_dim, eps=1e-6)
        self.k_norm = nn.RMSNorm(hidden_dim, eps=1e-6)

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.shape
        shape = (B, T, self.num_heads, self.head_dim)
        q = self.q_norm(self.q_proj(x)).view(shape).transpose(1, 2)
        k = self.k_norm(self.k_proj(x)).view(shape).transpose(1, 2)
        v = self.v_proj(x).view(shape).transpose(1, 2)
        w = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim ** 0.5
        w = w + torch.full((T, T), float("-inf"), dtype=w.dtype, device=w.device).triu(diagonal=1)
        w = F.softmax(w, dim=-1)
        return self.o_proj(torch.matmul(w, v).transpose(1, 2).contiguous().view(B, T, C))
