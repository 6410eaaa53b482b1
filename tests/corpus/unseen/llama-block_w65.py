# attn-kata: llama-block
# Names as in transformers' modeling_llama.py.
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def rotate_half(x: Tensor) -> Tensor:
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def apply_rotary_pos_emb(q: Tensor, k: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
    cos = cos.repeat_interleave(2, dim=-1)
    sin = sin.repeat_interleave(2, dim=-1)
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin


def repeat_kv(hidden_states: Tensor, n_rep: int) -> Tensor:
    batch, num_key_value_heads, slen, head_dim = hidden_states.shape
    hidden_states = hidden_states[:, :, None].expand(batch, num_key_value_heads, n_rep, slen, head_dim)
    return hidden_states.reshape(batch, num_key_value_heads * n_rep, slen, head_dim)


class LlamaRMSNorm(nn.Module):
    def __init__(self, hidden_size: int, eps: float = 1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.variance_epsilon = eps

    def forward(self, hidden_states: Tensor) -> Tensor:
        variance = hidden_states.pow(2).mean(-1, keepdim=True)
        return self.weight * (hidden_states * torch.rsqrt(variance + self.variance_epsilon))


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.head_dim = hidden_dim // num_heads
        self.groups = num_heads // num_kv_heads
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)
        self.gate_proj = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.up_proj = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.down_proj = nn.Linear(mlp_dim, hidden_dim, bias=False)
        self.input_layernorm = LlamaRMSNorm(hidden_dim)
        self.post_attention_layernorm = LlamaRMSNorm(hidden_dim)

    def self_attn(self, u: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        bsz, q_len, _ = u.shape
        query = self.q_proj(u).view(bsz, q_len, -1, self.head_dim).transpose(1, 2)
        key = self.k_proj(u).view(bsz, q_len, -1, self.head_dim).transpose(1, 2)
        value = self.v_proj(u).view(bsz, q_len, -1, self.head_dim).transpose(1, 2)
        query, key = apply_rotary_pos_emb(query, key, cos, sin)
        key, value = repeat_kv(key, self.groups), repeat_kv(value, self.groups)
        attn_weights = torch.matmul(query, key.transpose(2, 3)) / math.sqrt(self.head_dim)
        causal_mask = torch.full((q_len, q_len), float("-inf"), dtype=u.dtype, device=u.device).triu(1)
        attn_weights = F.softmax(attn_weights + causal_mask, dim=-1)
        return self.o_proj(torch.matmul(attn_weights, value).transpose(1, 2).reshape(bsz, q_len, -1))

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        residual = x
        x = residual + self.self_attn(self.input_layernorm(x), cos, sin)
        residual = x
        u = self.post_attention_layernorm(x)
        return residual + self.down_proj(F.silu(self.gate_proj(u)) * self.up_proj(u))
