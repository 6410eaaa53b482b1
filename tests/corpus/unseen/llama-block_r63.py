# attn-kata: llama-block
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class LlamaBlock(nn.Module):
    """Raw parameters. Query heads are stored as (kv head, member), so keys are never repeated."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        d, g = hidden_dim // num_heads, num_heads // num_kv_heads
        self.eps = 1e-5
        self.gains = nn.Parameter(torch.ones(2, hidden_dim))
        self.wqkv = nn.Parameter(torch.empty(num_kv_heads, g + 2, d, hidden_dim))
        self.wo = nn.Parameter(torch.empty(num_kv_heads, g, d, hidden_dim))
        self.w_in = nn.Parameter(torch.empty(2 * mlp_dim, hidden_dim))
        self.w_out = nn.Parameter(torch.empty(hidden_dim, mlp_dim))
        for w in (self.wqkv, self.wo, self.w_in, self.w_out):
            nn.init.normal_(w, std=hidden_dim ** -0.5)

    def norm(self, u: Tensor, which: int) -> Tensor:
        return F.rms_norm(u, u.shape[-1:], self.gains[which], self.eps)

    def attend(self, u: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        qkv = torch.einsum("ntc,kmdc->nkmtd", u, self.wqkv)
        turned, v = qkv[:, :, :-1], qkv[:, :, -1]
        a, b = turned.tensor_split(2, dim=-1)
        turned = torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)
        q, k = turned[:, :, :-1], turned[:, :, -1]
        s = torch.einsum("nkgid,nkjd->nkgij", q, k) / math.sqrt(q.shape[-1])
        n = u.shape[1]
        s = s + torch.full((n, n), -math.inf, dtype=s.dtype, device=s.device).triu(1)
        mixed = torch.einsum("nkgij,nkjd->nkgid", s.softmax(-1), v)
        return torch.einsum("nkgtd,kgdc->ntc", mixed, self.wo)

    def mlp(self, u: Tensor) -> Tensor:
        up, gate = F.linear(u, self.w_in).chunk(2, dim=-1)
        return F.linear(up * gate * gate.sigmoid(), self.w_out)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        x = x + self.attend(self.norm(x, 0), cos, sin)
        return x + self.mlp(self.norm(x, 1))
