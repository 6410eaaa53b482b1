# attn-kata: llama-block
from __future__ import annotations

from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass
class BlockConfig:
    hidden_dim: int
    num_heads: int
    num_kv_heads: int
    mlp_dim: int
    norm_kwargs: dict = field(default_factory=lambda: {"eps": 1e-5})

    def __post_init__(self):
        assert self.hidden_dim % self.num_heads == 0 and self.num_heads % self.num_kv_heads == 0
        self.head_dim = self.hidden_dim // self.num_heads
        self.kv_dim = self.num_kv_heads * self.head_dim


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        c = self.config = BlockConfig(hidden_dim, num_heads, num_kv_heads, mlp_dim)
        self.norm_attn = nn.RMSNorm(c.hidden_dim, **c.norm_kwargs)
        self.norm_mlp = nn.RMSNorm(c.hidden_dim, **c.norm_kwargs)
        self.proj = nn.ModuleDict(
            dict(
                q=nn.Linear(c.hidden_dim, c.hidden_dim),
                k=nn.Linear(c.hidden_dim, c.kv_dim),
                v=nn.Linear(c.hidden_dim, c.kv_dim),
                o=nn.Linear(c.hidden_dim, c.hidden_dim),
                gate=nn.Linear(c.hidden_dim, c.mlp_dim),
                up=nn.Linear(c.hidden_dim, c.mlp_dim),
                down=nn.Linear(c.mlp_dim, c.hidden_dim),
            )
        )

    def heads(self, name: str, u: Tensor) -> Tensor:
        return self.proj[name](u).unflatten(-1, (-1, self.config.head_dim)).transpose(1, 2)

    @staticmethod
    def rotary(t: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        pairs = t.unflatten(-1, (2, -1))
        a, b = pairs.unbind(-2)
        return torch.stack([a * cos - b * sin, b * cos + a * sin], dim=-2).flatten(-2)

    def attention(self, u: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        c = self.config
        q = self.rotary(self.heads("q", u), cos, sin)
        k = self.rotary(self.heads("k", u), cos, sin)
        v = self.heads("v", u)
        owner = torch.arange(c.num_heads, device=u.device) // (c.num_heads // c.num_kv_heads)
        logits = torch.einsum("bhid,bhjd->bhij", q, k[:, owner]) / c.head_dim ** 0.5
        steps = torch.arange(u.shape[1], device=u.device)
        logits = logits.masked_fill(steps[:, None] < steps, float("-inf"))
        context = torch.einsum("bhij,bhjd->bihd", logits.softmax(-1), v[:, owner])
        return self.proj["o"](context.flatten(2))

    def mlp(self, u: Tensor) -> Tensor:
        return self.proj["down"](F.silu(self.proj["gate"](u)) * self.proj["up"](u))

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        x = x + self.attention(self.norm_attn(x), cos, sin)
        x = x + self.mlp(self.norm_attn(x))
        return x
