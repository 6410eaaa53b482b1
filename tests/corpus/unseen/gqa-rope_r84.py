from __future__ import annotations
import torch
from torch import Tensor, nn


class Page:
    """A linked list of what each call added, the newest first. Nothing is ever copied or changed."""

    __slots__ = ("k", "v", "before", "end")

    def __init__(self, k: Tensor, v: Tensor, before: Page | None):
        self.k, self.v, self.before = k, v, before
        self.end = k.shape[-2] + (before.end if before else 0)

    def __iter__(self):
        page = self
        while page is not None:
            yield page
            page = page.before


class Rotary:
    def __init__(self, dim: int, base: float):
        self.dim, self.base = dim, base

    def tables(self, start: int, count: int, device) -> tuple[Tensor, Tensor]:
        p = torch.arange(start, start + count, device=device, dtype=torch.float32)
        i = torch.arange(0, self.dim, 2, device=device, dtype=torch.float32)
        angle = p.unsqueeze(1) * torch.pow(torch.tensor(self.base, device=device), -i / self.dim)
        return angle.cos(), angle.sin()

    @staticmethod
    def __call__(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        cos, sin = cos.to(x.dtype), sin.to(x.dtype)
        a, b = x.unflatten(-1, (2, -1)).unbind(-2)
        return torch.stack([a * cos - b * sin, torch.addcmul(b * cos, a, sin)], dim=-2).flatten(-2)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000) -> None:
        super().__init__()
        self.heads, self.kv_heads = num_heads, num_kv_heads
        self.head_dim = hidden_dim // num_heads
        assert self.head_dim % 2 == 0
        self.rotary = Rotary(self.head_dim, float(base))
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_k = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.to_v = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Page | None = None) -> tuple[Tensor, Page]:
        b, t, _ = x.shape
        cut = lambda y: y.view(b, t, -1, self.head_dim).transpose(1, 2)
        start = cache.end if cache is not None else 0
        cos, sin = self.rotary.tables(start, t, x.device)
        q = self.rotary(cut(self.to_q(x)), cos, sin) * self.head_dim**-0.5
        page = Page(self.rotary(cut(self.to_k(x)), cos, sin), cut(self.to_v(x)), cache)

        q = q.unflatten(1, (self.kv_heads, -1))                     # (b, kv, group, t, d)
        scores, values = [], []
        for p in page:                                              # newest first: softmax does not mind
            s = q @ p.k.unsqueeze(2).mT
            if p is page:
                s = s + torch.full((t, t), -torch.inf, dtype=s.dtype, device=s.device).triu(1)
            scores.append(s)
            values.append(p.v)
        w = torch.cat(scores, -1).softmax(-1)
        y = w @ torch.cat(values, -2).unsqueeze(2)
        return self.to_out(y.flatten(1, 2).transpose(1, 2).reshape(b, t, -1)), page
