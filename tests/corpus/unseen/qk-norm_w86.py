# attn-kata: qk-norm
import torch
from torch import nn, Tensor


class HeadNorm(nn.Module):
    """RMSNorm with one gain for all heads"""

    def __init__(self, head_dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.gain = nn.Parameter(torch.ones(head_dim))

    def forward(self, t: Tensor) -> Tensor:
        # (b, n, heads * head_dim) -> (b, heads, n, head_dim)
        t = t * torch.rsqrt(t.square().mean(dim=-1, keepdim=True) + 1e-6)
        t = t.unflatten(-1, (self.heads, -1))
        return (t * self.gain).transpose(1, 2)


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, hidden_dim * 3)
        self.query_norm = HeadNorm(self.head_dim, num_heads)
        self.key_norm = HeadNorm(self.head_dim, num_heads)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        b, n, c = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q, k = self.query_norm(q), self.key_norm(k)
        v = v.view(b, n, self.num_heads, self.head_dim).transpose(1, 2)
        s = torch.einsum("bhid,bhjd->bhij", q, k).mul(self.head_dim ** -0.5)
        i = torch.arange(n, device=x.device)
        s = torch.where(i[None, :] <= i[:, None], s, torch.finfo(s.dtype).min)
        y = torch.einsum("bhij,bhjd->bihd", s.softmax(dim=-1), v)
        return self.out(y.reshape(b, n, c))
