from typing import Optional
import math
import torch
from torch import Tensor, nn
import torch.nn.functional as F


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim)) if bias else None
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def _expand_mask(self, mask: Tensor, bsz: int) -> Tensor:
        if mask.dim() == 2:
            return mask[None, None]
        mask = mask.view(self.num_heads, bsz, mask.size(1), mask.size(2))
        return mask.transpose(0, 1)

    def forward(self, query, key, value, key_padding_mask: Optional[Tensor] = None,
                need_weights: bool = True, attn_mask: Optional[Tensor] = None,
                average_attn_weights: bool = True):
        B, T, E = query.shape
        w_q, w_k, w_v = self.in_proj_weight.chunk(3)
        b_q, b_k, b_v = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        q = F.linear(query, w_q, b_q).view(B, T, self.num_heads, -1).transpose(1, 2)
        k = F.linear(key, w_k, b_k).view(B, key.size(1), self.num_heads, -1).transpose(1, 2)
        v = F.linear(value, w_v, b_v).view(B, key.size(1), self.num_heads, -1).transpose(1, 2)

        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if attn_mask is not None:
            m = self._expand_mask(attn_mask, B)
            scores = scores.masked_fill(m, float("-inf")) if m.dtype == torch.bool else scores + m
        if key_padding_mask is not None:
            scores = scores.masked_fill(key_padding_mask[:, None, None, :], float("-inf"))
        weights = scores.softmax(dim=-1)
        attn = F.dropout(weights, self.dropout, self.training) @ v
        output = self.out_proj(attn.transpose(1, 2).reshape(B, T, E))
        if not need_weights:
            return output, None
        return output, weights.mean(dim=1) if average_attn_weights else weights
