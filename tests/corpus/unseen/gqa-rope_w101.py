from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import nn


@dataclass
class LlamaLikeConfig:
    hidden_size: int
    num_attention_heads: int
    num_key_value_heads: int
    rope_theta: float
    head_dim: int = field(init=False)

    def __post_init__(self):
        self.head_dim = self.hidden_size // self.num_attention_heads


class RotaryEmbedding:
    def __init__(self, config: LlamaLikeConfig):
        self.config = config

    def inv_freq(self, device):
        dim = self.config.head_dim
        exponent = torch.arange(0, dim // 2, dtype=torch.float32, device=device) / dim
        return 1.0 / (self.config.rope_theta**exponent)

    def __call__(self, position_ids, dtype):
        freqs = position_ids.float()[:, None] * self.inv_freq(position_ids.device)[None, :]
        emb = torch.cat((freqs, freqs), dim=-1)
        return emb.cos().to(dtype), emb.sin().to(dtype)


def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000):
        super().__init__()
        config = LlamaLikeConfig(hidden_dim, num_heads, num_kv_heads, base)
        self.config = config
        self.rotary_emb = RotaryEmbedding(config)
        self.q_proj = nn.Linear(hidden_dim, num_heads * config.head_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * config.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * config.head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * config.head_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        bsz, q_len, _ = x.shape
        past_len = 0 if cache is None else cache[0].shape[-2]
        position_ids = torch.arange(past_len, past_len + q_len, device=x.device)
        q = self.q_proj(x).view(bsz, q_len, -1, self.config.head_dim).transpose(1, 2)
        k = self.k_proj(x).view(bsz, q_len, -1, self.config.head_dim).transpose(1, 2)
        v = self.v_proj(x).view(bsz, q_len, -1, self.config.head_dim).transpose(1, 2)
        cos, sin = self.rotary_emb(position_ids, x.dtype)
        q = (q * cos) + (rotate_half(q) * sin)
        k = (k * cos) + (rotate_half(k) * sin)
        if cache is not None:
            k = torch.cat([cache[0], k], dim=-2)
            v = torch.cat([cache[1], v], dim=-2)
        n_rep = self.config.num_attention_heads // self.config.num_key_value_heads
        keys, values = (t[:, :, None].expand(-1, -1, n_rep, -1, -1).flatten(1, 2) for t in (k, v))
        scores = q @ keys.transpose(2, 3) * self.config.head_dim**-0.5
        causal = torch.arange(past_len + q_len, device=x.device) <= position_ids[:, None]
        scores = scores.masked_fill(~causal, torch.finfo(scores.dtype).min)
        out = (scores.softmax(-1) @ values).transpose(1, 2).reshape(bsz, q_len, -1)
        return self.o_proj(out), (k, v)
