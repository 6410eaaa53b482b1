# coming from shaders: a rotation is a multiply of complex numbers, so store pairs as vec2
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def cmul(pairs: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """(a + ib)(c + is) for halves (a | b) of the last axis."""
    wide = pairs.float() if pairs.dtype in (torch.float16, torch.bfloat16) else pairs
    z = torch.complex(*(half.contiguous() for half in wide.chunk(2, dim=-1)))
    w = torch.complex(cos.to(wide.dtype), sin.to(wide.dtype))
    spun = z * w[:, None, :]
    return torch.cat([spun.real, spun.imag], dim=-1).to(pairs.dtype)


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.H, self.K = num_heads, num_kv_heads
        self.D = D = hidden_dim // num_heads

        def mat(rows: int, cols: int) -> nn.Parameter:
            return nn.Parameter(torch.randn(rows, cols) / math.sqrt(rows))

        self.w_q = mat(hidden_dim, num_heads * D)
        self.w_k = mat(hidden_dim, num_kv_heads * D)
        self.w_v = mat(hidden_dim, num_kv_heads * D)
        self.w_o = mat(num_heads * D, hidden_dim)
        self.w_gate = mat(hidden_dim, mlp_dim)
        self.w_up = mat(hidden_dim, mlp_dim)
        self.w_down = mat(mlp_dim, hidden_dim)
        self.n1 = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.n2 = nn.RMSNorm(hidden_dim, eps=1e-5)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        B, T, _ = x.shape
        u = self.n1(x)
        q = cmul((u @ self.w_q).view(B, T, self.H, self.D), cos, sin)
        k = cmul((u @ self.w_k).view(B, T, self.K, self.D), cos, sin)
        v = (u @ self.w_v).view(B, T, self.K, self.D)

        steps = torch.arange(T, device=x.device)
        visible = steps.unsqueeze(0) <= steps.unsqueeze(1)
        share = self.H // self.K
        heads = []
        for h in range(self.H):
            s = q[:, :, h] @ k[:, :, h // share].mT / math.sqrt(self.D)
            s = torch.where(visible, s, torch.finfo(s.dtype).min)
            heads.append(s.softmax(dim=-1) @ v[:, :, h // share])
        h = x + torch.cat(heads, dim=-1) @ self.w_o

        u = self.n2(h)
        g = u @ self.w_gate
        return h + (g * g.sigmoid() * (u @ self.w_up)) @ self.w_down
