# right: gqa
"""面试手写：分组查询注意力"""
from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class AttentionConfig:
    d_model: int = 512
    n_heads: int = 8
    n_kv_heads: int = 2
    bias: bool = False


class GQAttention(nn.Module):
    def __init__(self, config: AttentionConfig):
        super().__init__()
        self.cfg = config
        self.d_k = config.d_model // config.n_heads
        self.组大小 = config.n_heads // config.n_kv_heads
        kv_dim = self.d_k * config.n_kv_heads
        self.q_proj = nn.Linear(config.d_model, config.d_model, bias=config.bias)
        self.k_proj = nn.Linear(config.d_model, kv_dim, bias=config.bias)
        self.v_proj = nn.Linear(config.d_model, kv_dim, bias=config.bias)
        self.o_proj = nn.Linear(config.d_model, config.d_model, bias=config.bias)

    def forward(self, x, attention_mask=None):
        B, T, C = x.size()
        # q 按组拆开，k、v 多一个长度为 1 的维度，靠广播共享
        q = self.q_proj(x).view(B, T, self.cfg.n_kv_heads, self.组大小, self.d_k).permute(0, 2, 3, 1, 4)
        k = self.k_proj(x).view(B, T, self.cfg.n_kv_heads, 1, self.d_k).permute(0, 2, 3, 1, 4)
        v = self.v_proj(x).view(B, T, self.cfg.n_kv_heads, 1, self.d_k).permute(0, 2, 3, 1, 4)
        attn = (q @ k.transpose(-1, -2)) / (self.d_k ** 0.5)   # (B, G, R, T, T)
        if attention_mask is not None:
            m = attention_mask.expand(B, self.cfg.n_heads, T, T)
            m = m.reshape(B, self.cfg.n_kv_heads, self.组大小, T, T)
            attn = attn.masked_fill(m == 0, torch.finfo(attn.dtype).min)
        attn = attn.softmax(dim=-1)
        out = attn @ v                                          # (B, G, R, T, d)
        out = out.permute(0, 3, 1, 2, 4).reshape(B, T, C)
        return self.o_proj(out)
