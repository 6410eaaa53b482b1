import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        wide = x if x.dtype == torch.float64 else x.float()
        normed = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps)
        return normed.type_as(x) * self.weight


def rotate_half(x: Tensor) -> Tensor:
    x1, x2 = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.n_head, self.n_kv = num_heads, num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.input_layernorm = RMSNorm(hidden_dim)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.post_attention_layernorm = RMSNorm(hidden_dim)
        self.gate_proj = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.up_proj = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.down_proj = nn.Linear(mlp_dim, hidden_dim, bias=False)

    def _attn(self, u: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        b, t, c = u.shape
        q = self.q_proj(u).view(b, t, self.n_head, self.head_dim).transpose(1, 2)
        k = self.k_proj(u).view(b, t, self.n_kv, self.head_dim).transpose(1, 2)
        v = self.v_proj(u).view(b, t, self.n_kv, self.head_dim).transpose(1, 2)
        cos = torch.cat((cos, cos), dim=-1).to(u.dtype)
        sin = torch.cat((sin, sin), dim=-1).to(u.dtype)
        q = q * cos + rotate_half(q) * sin
        k = k * cos + rotate_half(k) * sin
        rep = self.n_head // self.n_kv
        k, v = k.repeat_interleave(rep, dim=1), v.repeat_interleave(rep, dim=1)
        att = q @ k.transpose(2, 3) / math.sqrt(self.head_dim)
        att = att.masked_fill(torch.ones(t, t, device=u.device).triu(1).bool(), float("-inf"))
        y = F.softmax(att, dim=-1) @ v
        return self.o_proj(y.transpose(1, 2).reshape(b, t, c))

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        h = x + self._attn(self.input_layernorm(x), cos, sin)
        u = self.post_attention_layernorm(h)
        return h + self.down_proj(F.silu(self.gate_proj(u)) * self.up_proj(u))
