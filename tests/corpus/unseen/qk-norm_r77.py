# attn-kata: qk-norm
import torch
from torch import nn, Tensor


class UnitRMS(nn.Module):
    """Gemma's way: the gain is stored less one"""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(n))

    def forward(self, u: Tensor) -> Tensor:
        w = u if u.dtype == torch.float64 else u.float()
        w = w * (w.square().mean(-1, keepdim=True) + 1e-6).rsqrt()
        return (w * (1 + self.weight.to(w.dtype))).to(u.dtype)


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_norm, self.k_norm = UnitRMS(self.head_dim), UnitRMS(self.head_dim)
        self.qkv_proj = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        shape = (*x.shape[:2], self.num_heads, self.head_dim)
        q, k, v = (t.reshape(shape).transpose(1, 2) for t in self.qkv_proj(x).chunk(3, -1))
        s = self.q_norm(q) @ self.k_norm(k).mT * self.head_dim ** -0.5
        n = x.shape[1]
        s = s.masked_fill(torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1), -torch.inf)
        return self.o_proj((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
