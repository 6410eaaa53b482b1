from __future__ import annotations

import torch
from torch import Tensor, nn


class GatedMLP(nn.Module):
    def __init__(self, hidden_size: int, intermediate_size: int | None = None) -> None:
        super().__init__()
        if intermediate_size is None:
            # as in the paper, rounded up to a multiple of 8
            intermediate_size = -(-8 * hidden_size // 3 // 8) * 8
        self.gate_proj = nn.Linear(hidden_size, intermediate_size, bias=False)
        self.up_proj = nn.Linear(hidden_size, intermediate_size, bias=False)
        self.down_proj = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.act_fn = nn.SiLU()

    def forward(self, u: Tensor) -> Tensor:
        return self.down_proj(self.act_fn(self.gate_proj(u)) * self.up_proj(u))


def rms_norm(u: Tensor, weight: Tensor, eps: float = 1e-5) -> Tensor:
    return u / (u.square().mean(dim=-1, keepdim=True) + eps).sqrt() * weight


def rotary(u: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """u (batch, length, heads, head_dim)"""
    cos, sin = (torch.cat((table, table), dim=-1).unsqueeze(1) for table in (cos, sin))
    first, second = u.tensor_split(2, dim=-1)
    return (u * cos + torch.cat((-second, first), dim=-1) * sin).to(u.dtype)


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.head_dim = hidden_dim // num_heads
        self.repeats = num_heads // num_kv_heads
        kv_width = num_kv_heads * self.head_dim
        widths = {"q": hidden_dim, "k": kv_width, "v": kv_width, "o": hidden_dim}
        self.self_attn = nn.ModuleDict(
            {name: nn.Linear(hidden_dim, width, bias=False) for name, width in widths.items()}
        )
        self.mlp = GatedMLP(hidden_dim)
        self.input_layernorm = nn.Parameter(torch.ones(hidden_dim))
        self.post_attention_layernorm = nn.Parameter(torch.ones(hidden_dim))

    def attention(self, u: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        q, k, v = (self.self_attn[name](u).unflatten(-1, (-1, self.head_dim)) for name in "qkv")
        q, k = rotary(q, cos, sin), rotary(k, cos, sin)
        k, v = (t.repeat_interleave(self.repeats, dim=2) for t in (k, v))
        scores = torch.einsum("bihd,bjhd->bhij", q, k) * self.head_dim ** -0.5
        later = torch.ones_like(scores, dtype=torch.bool).triu(1)
        weights = scores.masked_fill(later, -torch.inf).softmax(dim=-1)
        return self.self_attn["o"](torch.einsum("bhij,bjhd->bihd", weights, v).flatten(2))

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        h = x + self.attention(rms_norm(x, self.input_layernorm), cos, sin)
        return h + self.mlp(rms_norm(h, self.post_attention_layernorm))
