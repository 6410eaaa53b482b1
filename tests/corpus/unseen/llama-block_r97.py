from dataclasses import dataclass
from typing import Optional

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class ModelArgs:
    dim: int = 64
    n_heads: int = 4
    n_kv_heads: Optional[int] = None
    ffn_dim: int = 172
    norm_eps: float = 1e-5

    @property
    def head_dim(self):
        return self.dim // self.n_heads

    @property
    def kv(self):
        return self.n_heads if self.n_kv_heads is None else self.n_kv_heads


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        y = x.to(torch.promote_types(x.dtype, torch.float32))
        y = y * torch.rsqrt(y.square().mean(-1, keepdim=True) + self.eps)
        return y.type_as(x) * self.weight


def rotate(t, cos, sin):
    """t (batch, length, heads, head_dim)"""
    cos, sin = (table.to(t.dtype).unsqueeze(1) for table in (cos, sin))
    first, second = t.tensor_split(2, dim=-1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)


class LlamaBlock(nn.Module):
    def __init__(self, args: ModelArgs):
        super().__init__()
        self.args = args
        hd = args.head_dim
        self.attention_norm = RMSNorm(args.dim, args.norm_eps)
        self.ffn_norm = RMSNorm(args.dim, args.norm_eps)
        self.wqkv = nn.Linear(args.dim, (args.n_heads + 2 * args.kv) * hd, bias=False)
        self.wo = nn.Linear(args.dim, args.dim, bias=False)
        self.w13 = nn.Linear(args.dim, 2 * args.ffn_dim, bias=False)  # gate, then up
        self.w2 = nn.Linear(args.ffn_dim, args.dim, bias=False)

    def attention(self, u, cos, sin):
        a, (bsz, n, _) = self.args, u.shape
        heads = self.wqkv(u).view(bsz, n, a.n_heads + 2 * a.kv, a.head_dim)
        q, k, v = heads.tensor_split((a.n_heads, a.n_heads + a.kv), dim=2)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        future = torch.ones(n, n, dtype=torch.bool, device=u.device).triu(1)
        per_kv = a.n_heads // a.kv
        mixed = []
        for g, (kg, vg) in enumerate(zip(k.unbind(2), v.unbind(2))):
            for qh in q[:, :, g * per_kv : (g + 1) * per_kv].unbind(2):
                s = (qh @ kg.transpose(1, 2)) / a.head_dim**0.5
                mixed.append(s.masked_fill(future, float("-inf")).softmax(-1) @ vg)
        out = torch.stack(mixed, dim=2)
        return self.wo(out.reshape(bsz, n, a.dim))

    def feed_forward(self, u):
        gate, up = self.w13(u).chunk(2, dim=-1)
        return self.w2(F.silu(gate) * up)

    def forward(self, x, cos, sin):
        h = x + self.attention(self.attention_norm(x), cos, sin)
        return h + self.feed_forward(self.ffn_norm(h))
