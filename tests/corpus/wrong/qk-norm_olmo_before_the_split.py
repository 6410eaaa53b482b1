# wrong: qk-norm qk-norm-over-width line 28
import torch
import torch.nn.functional as F
from torch import nn


class OlmoRMSNorm(nn.Module):
    def __init__(self, size, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x):
        variance = x.pow(2).mean(-1, keepdim=True)
        return self.weight * (x * torch.rsqrt(variance + self.eps))


class Olmo2Attention(nn.Module):
    def __init__(self, hidden_size, num_heads):
        super().__init__()
        self.num_heads, self.head_dim = num_heads, hidden_size // num_heads
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (nn.Linear(hidden_size, hidden_size, bias=False) for _ in range(4))
        self.q_norm = OlmoRMSNorm(hidden_size)
        self.k_norm = OlmoRMSNorm(hidden_size)

    def forward(self, x):
        bsz, n, _ = x.shape
        q = self.q_norm(self.q_proj(x))
        k = self.k_norm(self.k_proj(x))
        v = self.v_proj(x)
        q, k, v = (t.view(bsz, n, self.num_heads, self.head_dim).transpose(1, 2) for t in (q, k, v))
        w = q @ k.transpose(2, 3) / self.head_dim**0.5
        w = w + torch.full((n, n), float("-inf"), device=x.device, dtype=w.dtype).triu(1)
        y = F.softmax(w, dim=-1) @ v
        return self.o_proj(y.transpose(1, 2).reshape(bsz, n, -1))
