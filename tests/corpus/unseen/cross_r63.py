# attn-kata: cross
# 参照 torch.nn.functional.multi_head_attention_forward 的写法 (packed in_proj, bmm)
from __future__ import annotations

import math
from typing import Optional

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.parameter import Parameter


def _in_projection_packed(q: Tensor, k: Tensor, v: Tensor, w: Tensor, b: Tensor) -> list[Tensor]:
    E = q.size(-1)
    if k is v:
        if q is k:
            # self-attention: 一次乘法
            return list(F.linear(q, w, b).chunk(3, dim=-1))
        # encoder-decoder attention: key 和 value 一起算, 权重仍然各用各的
        w_q, w_kv = w.split([E, E * 2])
        b_q, b_kv = b.split([E, E * 2])
        return [F.linear(q, w_q, b_q), *F.linear(k, w_kv, b_kv).chunk(2, dim=-1)]
    return [F.linear(s, w_, b_) for s, w_, b_ in zip((q, k, v), w.chunk(3), b.chunk(3))]


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        assert self.head_dim * num_heads == hidden_dim
        self.dropout = dropout
        self.in_proj_weight = Parameter(torch.empty((3 * hidden_dim, hidden_dim)))
        self.in_proj_bias = Parameter(torch.zeros(3 * hidden_dim))
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        bsz, tgt_len, embed_dim = query.shape
        src_len = key.size(1)                                   # 键的长度, 与 tgt_len 无关

        q, k, v = _in_projection_packed(query, key, value, self.in_proj_weight, self.in_proj_bias)

        def fold(t: Tensor, length: int) -> Tensor:
            t = t.reshape(bsz, length, self.num_heads, self.head_dim).transpose(1, 2)
            return t.reshape(bsz * self.num_heads, length, self.head_dim)

        q, k, v = fold(q, tgt_len), fold(k, src_len), fold(v, src_len)

        q_scaled = q * math.sqrt(1.0 / float(self.head_dim))
        if mask is None:
            attn = torch.bmm(q_scaled, k.transpose(-2, -1))
        else:
            float_mask = torch.zeros(mask.shape, dtype=q.dtype, device=q.device)
            float_mask.masked_fill_(mask == 0, torch.finfo(q.dtype).min)
            # (B, Tq, Tk) -> (B*h, Tq, Tk), 每个样本的掩码连续重复 h 次
            float_mask = float_mask.repeat_interleave(self.num_heads, dim=0)
            attn = torch.baddbmm(float_mask, q_scaled, k.transpose(-2, -1))
        attn = F.softmax(attn, dim=-1)
        if self.training and self.dropout > 0.0:
            attn = F.dropout(attn, p=self.dropout)

        out = torch.bmm(attn, v)                                # (B*h, Tq, d)
        out = out.view(bsz, self.num_heads, tgt_len, self.head_dim).transpose(1, 2).flatten(2)
        return self.out_proj(out)
