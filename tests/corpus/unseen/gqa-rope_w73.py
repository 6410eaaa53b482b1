# attn-kata: gqa-rope
# Layout (batch, time, heads, head_dim) from end to end, appended along axis 1.
from __future__ import annotations

import torch
from torch import Tensor, nn


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000) -> None:
        super().__init__()
        self.n_q, self.n_kv = num_heads, num_kv_heads
        self.hd = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, self.n_q * self.hd, bias=False)
        self.k_proj = nn.Linear(hidden_dim, self.n_kv * self.hd, bias=False)
        self.v_proj = nn.Linear(hidden_dim, self.n_kv * self.hd, bias=False)
        self.o_proj = nn.Linear(self.n_q * self.hd, hidden_dim, bias=False)
        self.base = float(base)

    def _rope(self, x: Tensor, offset: int) -> Tensor:
        acc = torch.float64 if x.dtype == torch.float64 else torch.float32
        half = self.hd // 2
        i = torch.arange(half, device=x.device, dtype=acc)
        theta = self.base ** (-2.0 * i / self.hd)
        pos = torch.arange(x.size(1), device=x.device, dtype=acc) + offset
        ang = (pos[:, None] * theta).unsqueeze(1)  # (time, 1, half)
        c, s = ang.cos(), ang.sin()
        a, b = x[..., :half].to(acc), x[..., half:].to(acc)
        return torch.cat((a * c - b * s, b * c + a * s), dim=-1).to(x.dtype)

    def forward(self, x: Tensor, cache=None):
        bsz, t, _ = x.shape
        q = self.q_proj(x).view(bsz, t, self.n_q, self.hd)
        k = self.k_proj(x).view(bsz, t, self.n_kv, self.hd)
        v = self.v_proj(x).view(bsz, t, self.n_kv, self.hd)

        offset = 0
        if cache is not None:
            offset = cache[0].size(2)
        q, k = self._rope(q, offset), self._rope(k, offset)
        if cache is not None:
            k = torch.cat((cache[0], k), dim=1)
            v = torch.cat((cache[1], v), dim=1)

        total = k.size(1)
        g = self.n_q // self.n_kv
        qg = q.view(bsz, t, self.n_kv, g, self.hd)
        logits = torch.einsum("btngd,bsnd->bngts", qg, k) / self.hd**0.5
        keep = torch.ones(t, total, dtype=torch.bool, device=x.device).tril(total - t)
        logits = logits.masked_fill(~keep, float("-inf"))
        ctx = torch.einsum("bngts,bsnd->btngd", torch.softmax(logits, dim=-1), v)
        return self.o_proj(ctx.reshape(bsz, t, self.n_q * self.hd)), (k, v)
