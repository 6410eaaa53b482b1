# attn-kata: mla
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        self.nh, self.hd, self.rd = num_heads, head_dim, rope_dim
        self.wq = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.wkv_a = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.wk_r = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.wk_b = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.wv_b = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.wo = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)
        self.scale = (head_dim + rope_dim) ** -0.5

    def _rope(self, t: Tensor, pos: Tensor) -> Tensor:
        half = self.rd // 2
        inv = 10000.0 ** (torch.arange(half, device=t.device, dtype=torch.float32) / -half)
        ang = pos.float().unsqueeze(-1) * inv
        cos = torch.cat((ang, ang), dim=-1).cos().to(t.dtype)
        sin = torch.cat((ang, ang), dim=-1).sin().to(t.dtype)
        turned = torch.cat((t[..., half:].neg(), t[..., :half]), dim=-1)
        return t * cos + turned * sin

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        b, t, _ = x.shape
        done = 0 if cache is None else cache[0].size(1)
        pos = torch.arange(done, done + t, device=x.device)

        q = self.wq(x).view(b, t, self.nh, self.hd + self.rd).transpose(1, 2)
        q = torch.cat((q[..., :self.hd], self._rope(q[..., self.hd:], pos)), dim=-1)
        c = self.wkv_a(x)
        k_r = self._rope(self.wk_r(x), pos).unsqueeze(1).repeat(1, self.nh, 1, 1)
        if cache is not None:
            c = torch.cat((cache[0], c), dim=1)
            k_r = torch.cat((cache[1], k_r), dim=2)

        n = c.size(1)
        k = torch.cat((self.wk_b(c).view(b, n, self.nh, self.hd).transpose(1, 2), k_r), dim=-1)
        v = self.wv_b(c).view(b, n, self.nh, self.hd).transpose(1, 2)
        s = torch.matmul(q, k.transpose(2, 3)).mul_(self.scale)
        s.masked_fill_(torch.arange(n, device=x.device) > pos.unsqueeze(1), float("-inf"))
        o = torch.matmul(s.softmax(dim=-1), v)
        return self.wo(o.transpose(1, 2).reshape(b, t, -1)), (c, k_r)
