# attn-kata: llama-block
import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


def rotate_half(x: Tensor) -> Tensor:
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((x2, -x1), dim=-1)


def apply_rotary_pos_emb(q, k, cos, sin):
    cos, sin = torch.cat((cos, cos), dim=-1), torch.cat((sin, sin), dim=-1)
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)
        self.gate_proj = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.up_proj = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.down_proj = nn.Linear(mlp_dim, hidden_dim, bias=False)
        self.input_layernorm = RMSNorm(hidden_dim)
        self.post_attention_layernorm = RMSNorm(hidden_dim)

    def self_attn(self, x, cos, sin):
        bsz, n, _ = x.shape
        q = self.q_proj(x).view(bsz, n, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(x).view(bsz, n, self.num_kv_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(x).view(bsz, n, self.num_kv_heads, self.head_dim).transpose(1, 2)
        q, k = apply_rotary_pos_emb(q, k, cos, sin)
        groups = self.num_heads // self.num_kv_heads
        k, v = k.repeat_interleave(groups, dim=1), v.repeat_interleave(groups, dim=1)
        w = q @ k.transpose(2, 3) / math.sqrt(self.head_dim)
        w = w.masked_fill(torch.triu(torch.ones(n, n, device=x.device), 1).bool(), float("-inf"))
        y = F.softmax(w, dim=-1) @ v
        return self.o_proj(y.transpose(1, 2).reshape(bsz, n, -1))

    def forward(self, x, cos, sin):
        residual = x
        x = residual + self.self_attn(self.input_layernorm(x), cos, sin)
        residual = x
        x = self.post_attention_layernorm(x)
        return residual + self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
