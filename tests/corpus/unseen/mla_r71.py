from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class MultiHeadLatentAttention(nn.Module):
    """Absorbed: queries go to the latents, no key and no value is made. The cache is one tensor."""

    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int) -> None:
        super().__init__()
        self.r, self.c = rope_dim, latent_dim
        self.root = math.sqrt(head_dim + rope_dim)
        self.kv_a = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        mk = lambda *s: nn.Parameter(torch.randn(*s) / math.sqrt(s[-1]))
        self.q_content = mk(num_heads, head_dim, hidden_dim)
        self.q_rope = mk(num_heads, rope_dim, hidden_dim)
        self.k_up = mk(num_heads, head_dim, latent_dim)
        self.v_up = mk(num_heads, head_dim, latent_dim)
        self.out = mk(hidden_dim, num_heads, head_dim)

    def _rope(self, t: Tensor, first: int) -> Tensor:
        half = self.r // 2
        p = torch.arange(first, first + t.shape[-2], device=t.device, dtype=torch.float64)
        angle = torch.outer(p, 10000.0 ** (torch.arange(half, device=t.device, dtype=torch.float64) / -half))
        z = torch.polar(torch.ones_like(angle), angle)
        wide = t.to(torch.float64 if t.dtype == torch.float64 else torch.float32)
        y = torch.complex(wide[..., :half].contiguous(), wide[..., half:].contiguous()) * z.to(torch.complex128 if wide.dtype == torch.float64 else torch.complex64)
        return torch.cat((y.real, y.imag), -1).to(t.dtype)

    def forward(self, x: Tensor, cache: Any = None):
        start = 0 if cache is None else cache.shape[1]
        c, k_r = self.kv_a(x).split((self.c, self.r), -1)
        new = torch.cat((c, self._rope(k_r, start)), -1)
        cache = new if cache is None else torch.cat((cache, new), 1)
        q = torch.einsum("bte,hde,hdc->bhtc", x, self.q_content, self.k_up)
        q_r = self._rope(torch.einsum("bte,hre->bhtr", x, self.q_rope), start)
        s = torch.cat((q, q_r), -1) @ cache.mT.unsqueeze(1) / self.root
        t, n = s.shape[-2:]
        s = s + torch.full((t, n), float("-inf"), dtype=s.dtype, device=s.device).triu(n - t + 1)
        mixed = torch.einsum("bhts,bsc->bhtc", F.softmax(s, -1), cache[..., : self.c])
        return torch.einsum("bhtc,hdc,ehd->bte", mixed, self.v_up, self.out), cache
