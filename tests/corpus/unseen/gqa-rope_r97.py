from dataclasses import dataclass, field

import torch
from torch import Tensor, nn


@dataclass
class Angles:
    theta: float = 10000


@dataclass
class Heads:
    q: int = 4
    kv: int = 2


@dataclass
class AttnCfg:
    width: int = 64
    heads: Heads = field(default_factory=Heads)
    pos: Angles = field(default_factory=Angles)


class GroupedQueryAttentionWithRope(nn.Module):
    """The cache is a dict of keys (not rotated) and values, (batch, length, kv heads, head_dim)."""

    def __init__(self, cfg: AttnCfg):
        super().__init__()
        self.cfg = cfg
        self.hd = cfg.width // cfg.heads.q
        self.rep = cfg.heads.q // cfg.heads.kv
        self.wq = nn.Linear(cfg.width, cfg.width, bias=False)
        self.wk = nn.Linear(cfg.width, cfg.heads.kv * self.hd, bias=False)
        self.wv = nn.Linear(cfg.width, cfg.heads.kv * self.hd, bias=False)
        self.wo = nn.Linear(cfg.width, cfg.width, bias=False)

    def turn(self, t: Tensor, first: int) -> Tensor:
        """t (batch, length, heads, head_dim), its positions first, first + 1, …"""
        half = self.hd // 2
        i = torch.arange(half, device=t.device, dtype=torch.float64)
        p = torch.arange(first, first + t.shape[1], device=t.device, dtype=torch.float64)
        phi = torch.outer(p, self.cfg.pos.theta ** (-i / half))
        wide = torch.promote_types(t.dtype, torch.float32)
        e = torch.polar(torch.ones_like(phi), phi)[:, None]  # length, 1, half
        e = torch.view_as_real(e).to(wide)
        z = torch.view_as_complex(torch.stack(t.to(wide).chunk(2, dim=-1), dim=-1).contiguous())
        z = z * torch.view_as_complex(e.contiguous())
        return torch.cat((z.real, z.imag), dim=-1).to(t.dtype)

    def forward(self, x: Tensor, cache=None):
        b, t, _ = x.shape
        q = self.wq(x).view(b, t, self.cfg.heads.q, self.hd)
        k = self.wk(x).view(b, t, self.cfg.heads.kv, self.hd)
        v = self.wv(x).view(b, t, self.cfg.heads.kv, self.hd)
        if cache:
            k, v = torch.cat((cache["k"], k), 1), torch.cat((cache["v"], v), 1)
        new = {"k": k, "v": v}

        s = k.shape[1]
        q, k = self.turn(q, s - t), self.turn(k, 0)
        k, v = (u.repeat_interleave(self.rep, dim=2) for u in (k, v))
        w = torch.einsum("bqhd,bkhd->bhqk", q, k) * self.hd**-0.5
        seen = torch.ones(t, s, dtype=torch.bool, device=x.device).tril(s - t)
        w = w.masked_fill(~seen, -torch.inf).softmax(-1)
        return self.wo(torch.einsum("bhqk,bkhd->bqhd", w, v).flatten(2)), new
