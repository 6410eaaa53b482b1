# wrong: qk-norm weights-misbegun line 10
import torch
from torch import nn, Tensor


class ZeroCenteredRMSNorm(nn.Module):
    def __init__(self, dim: int, *, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, u: Tensor) -> Tensor:
        wide = u.to(torch.promote_types(u.dtype, torch.float32))
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps)
        return (wide * (1.0 + self.weight)).to(u.dtype)


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.n_heads, self.d_head = num_heads, hidden_dim // num_heads
        self.W_Q = nn.Linear(hidden_dim, hidden_dim)
        self.W_K = nn.Linear(hidden_dim, hidden_dim)
        self.W_V = nn.Linear(hidden_dim, hidden_dim)
        self.W_O = nn.Linear(hidden_dim, hidden_dim)
        self.ln_q = ZeroCenteredRMSNorm(self.d_head)
        self.ln_k = ZeroCenteredRMSNorm(self.d_head)

    def forward(self, x: Tensor) -> Tensor:
        b, t, _ = x.shape
        q = self.ln_q(self.W_Q(x).view(b, t, self.n_heads, self.d_head))
        k = self.ln_k(self.W_K(x).view(b, t, self.n_heads, self.d_head))
        v = self.W_V(x).view(b, t, self.n_heads, self.d_head)
        pattern = torch.einsum("bqhd,bkhd->bhqk", q, k) / self.d_head ** 0.5
        upper = torch.triu(torch.ones(t, t, device=x.device), 1).bool()
        pattern = pattern.masked_fill(upper, float("-inf")).softmax(-1)
        return self.W_O(torch.einsum("bhqk,bkhd->bqhd", pattern, v).reshape(b, t, -1))
