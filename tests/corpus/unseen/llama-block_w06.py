# attn-kata: llama-block
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Halves of a head as real and imaginary part."""
    wide = torch.promote_types(x.dtype, torch.float32)
    half = x.shape[-1] // 2
    z = torch.complex(x[..., :half].to(wide), x[..., half:].to(wide))
    angle = torch.atan2(sin.to(wide), cos.to(wide))
    z = z * torch.polar(torch.ones_like(angle), angle)
    return torch.cat([z.real, z.imag], dim=-1).to(x.dtype)


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.sizes = [hidden_dim, num_kv_heads * self.head_dim, num_kv_heads * self.head_dim]
        self.norm_1 = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.norm_2 = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.qkv = nn.Linear(hidden_dim, sum(self.sizes), bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.gate_up = nn.Linear(hidden_dim, 2 * mlp_dim, bias=False)
        self.down = nn.Linear(mlp_dim, hidden_dim, bias=False)

    def attend(self, u: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        q, k, v = (t.unflatten(-1, (-1, self.head_dim)).transpose(1, 2) for t in self.qkv(u).split(self.sizes, dim=-1))
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        q = q.unflatten(1, (self.num_kv_heads, -1))
        scores = torch.einsum("bgrid,bgjd->bgrij", q, k) * self.head_dim ** -0.5
        i = torch.arange(u.shape[1], device=u.device)
        weights = scores.masked_fill(i > i[:, None], -torch.inf).softmax(-1)
        return self.out(torch.einsum("bgrij,bgjd->bigrd", weights, v).flatten(2))

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        x = x + self.attend(self.norm_1(x), cos, sin)
        gate, up = self.gate_up(self.norm_2(x)).chunk(2, dim=-1)
        return x + self.down(F.silu(gate) * up)
