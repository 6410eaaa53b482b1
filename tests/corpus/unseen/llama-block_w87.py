from __future__ import annotations
import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SwiGLU(nn.Module):
    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.w_in = nn.Linear(width, 2 * inner, bias=False)
        self.w_out = nn.Linear(inner, width, bias=False)

    def forward(self, u: Tensor) -> Tensor:
        gate, up = self.w_in(u).chunk(2, dim=-1)
        return self.w_out(F.silu(gate * up))


class Attention(nn.Module):
    def __init__(self, width: int, heads: int, kv_heads: int) -> None:
        super().__init__()
        self.heads, self.kv_heads, self.d = heads, kv_heads, width // heads
        self.q = nn.Linear(width, heads * self.d, bias=False)
        self.k = nn.Linear(width, kv_heads * self.d, bias=False)
        self.v = nn.Linear(width, kv_heads * self.d, bias=False)
        self.o = nn.Linear(heads * self.d, width, bias=False)

    def rope(self, t: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        cos, sin = cos[:, None], sin[:, None]            # (T, 1, d/2)
        first, second = t[..., : self.d // 2], t[..., self.d // 2 :]
        return torch.cat([first * cos - second * sin, second * cos + first * sin], -1)

    def forward(self, u: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        T = u.shape[1]
        q, k, v = (p(u).unflatten(-1, (-1, self.d)) for p in (self.q, self.k, self.v))
        q, k = self.rope(q, cos, sin), self.rope(k, cos, sin)
        q = q.unflatten(2, (self.kv_heads, -1))
        s = torch.einsum("btgrd,bsgd->bgrts", q, k) / self.d**0.5
        hide = torch.arange(T, device=u.device) > torch.arange(T, device=u.device)[:, None]
        w = s.masked_fill(hide, float("-inf")).softmax(-1)
        return self.o(torch.einsum("bgrts,bsgd->btgrd", w, v).flatten(2))


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.norm_1 = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.norm_2 = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.attn = Attention(hidden_dim, num_heads, num_kv_heads)
        self.mlp = SwiGLU(hidden_dim, mlp_dim)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        x = x + self.attn(self.norm_1(x), cos, sin)
        x = x + self.mlp(self.norm_2(x))
        return x
