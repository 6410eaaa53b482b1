from typing import NamedTuple, Optional
import torch
from torch import Tensor, nn


class MLACache(NamedTuple):
    c: Tensor
    kr: Tensor


def apply_rope(x: Tensor, start: int) -> Tensor:
    dim = x.size(-1)
    theta = torch.pow(10000.0, -torch.arange(0, dim, 2, device=x.device, dtype=torch.float64) / dim)
    m = torch.arange(start, start + x.size(-2), device=x.device, dtype=torch.float64)
    f = torch.outer(m, theta)
    cos, sin = f.cos().to(x), f.sin().to(x)
    x1, x2 = torch.split(x, dim // 2, dim=-1)
    return torch.cat([x1 * cos - x2 * sin, x1 * sin + x2 * cos], dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int):
        super().__init__()
        self.dims = (num_heads, head_dim, rope_dim)
        self.query = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.down = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.key_rope = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.up = nn.ModuleDict({n: nn.Linear(latent_dim, num_heads * head_dim, bias=False) for n in ("key", "value")})
        self.output = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, cache: Optional[MLACache] = None):
        h, d, r = self.dims
        start = cache.c.size(1) if cache else 0
        c = self.down(x)
        kr = self.key_rope(x)
        if cache:
            c = torch.cat([cache.c, c], dim=1)
            kr = torch.cat([cache.kr, kr], dim=1)
        q = self.query(x).unflatten(-1, (h, d + r)).transpose(1, 2)
        q = torch.cat([q[..., :d], apply_rope(q[..., d:], start)], dim=-1)
        k = self.up["key"](c).unflatten(-1, (h, d)).transpose(1, 2)
        k = torch.cat([k, kr.unsqueeze(1).expand(-1, h, -1, -1)], dim=-1)
        v = self.up["value"](c).unflatten(-1, (h, d)).transpose(1, 2)
        logits = (q @ k.transpose(2, 3)) * (d + r) ** -0.5
        q_pos = torch.arange(start, c.size(1), device=x.device).view(-1, 1)
        k_pos = torch.arange(c.size(1), device=x.device).view(1, -1)
        probs = torch.softmax(logits.masked_fill(k_pos > q_pos, -torch.inf), dim=-1)
        return self.output((probs @ v).transpose(1, 2).flatten(2)), MLACache(c, kr)
