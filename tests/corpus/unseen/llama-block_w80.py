import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def rotate(t: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """t is (batch, heads, length, head_dim)."""
    half = t.size(-1) // 2
    a, b = t[..., :half], t[..., half:]
    if torch.is_grad_enabled():
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)
    # no graph: write into the projection's own memory
    t[..., :half] = a * cos - b * sin
    t[..., half:] = b * cos + a * sin
    return t


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.head_dim = hidden_dim // num_heads
        self.rep = num_heads // num_kv_heads
        self.wq = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.gate = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.up = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.down = nn.Linear(mlp_dim, hidden_dim, bias=False)
        self.norm_1, self.norm_2 = nn.RMSNorm(hidden_dim, eps=1e-5), nn.RMSNorm(hidden_dim, eps=1e-5)

    def attention(self, u: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        q, k, v = (w(u).unflatten(-1, (-1, self.head_dim)).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        k, v = (t.repeat_interleave(self.rep, dim=1) for t in (k, v))
        scores = q @ k.mT / math.sqrt(self.head_dim)
        n = u.size(1)
        ahead = torch.ones(n, n, dtype=torch.bool, device=u.device).triu(1)
        weights = scores.masked_fill(ahead, -math.inf).softmax(dim=-1)
        return self.wo((weights @ v).transpose(1, 2).flatten(2))

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        h = x + self.attention(self.norm_1(x), cos, sin)
        u = self.norm_2(h)
        return h + self.down(F.silu(self.gate(u)) * self.up(u))
