"""torch.nn.MultiheadAttention and F.multi_head_attention_forward read side by side and written down again."""
import math

import torch
from torch import nn
from torch.nn.functional import dropout, linear, softmax


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.head_dim = embed_dim // num_heads
        self.in_proj_weight = nn.Parameter(torch.empty((3 * embed_dim, embed_dim)))
        if bias:
            self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim))
        else:
            self.register_parameter("in_proj_bias", None)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def _canonical_mask(self, mask, like):
        if mask is None or torch.is_floating_point(mask):
            return mask
        return torch.zeros_like(mask, dtype=like.dtype).masked_fill_(mask, float("-inf"))

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True):
        query, key, value = (x.transpose(1, 0) for x in (query, key, value))   # time first inside
        tgt_len, bsz, embed_dim = query.shape
        src_len = key.shape[0]

        w_q, w_k, w_v = self.in_proj_weight.chunk(3)
        b_q, b_k, b_v = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        q, k, v = linear(query, w_q, b_q), linear(key, w_k, b_k), linear(value, w_v, b_v)

        attn_mask = self._canonical_mask(attn_mask, q)
        if attn_mask is not None and attn_mask.dim() == 2:
            attn_mask = attn_mask.unsqueeze(0)
        key_padding_mask = self._canonical_mask(key_padding_mask, q)
        if key_padding_mask is not None:
            key_padding_mask = (
                key_padding_mask.view(bsz, 1, 1, src_len)
                .expand(-1, self.num_heads, -1, -1)
                .reshape(bsz * self.num_heads, 1, src_len)
            )
            attn_mask = key_padding_mask if attn_mask is None else attn_mask + key_padding_mask

        q = q.contiguous().view(tgt_len, bsz * self.num_heads, self.head_dim).transpose(0, 1)
        k = k.contiguous().view(src_len, bsz * self.num_heads, self.head_dim).transpose(0, 1)
        v = v.contiguous().view(src_len, bsz * self.num_heads, self.head_dim).transpose(0, 1)

        q_scaled = q * math.sqrt(1.0 / float(self.head_dim))
        if attn_mask is not None:
            weights = torch.baddbmm(attn_mask.to(q.dtype).expand(len(q), tgt_len, src_len), q_scaled, k.transpose(-2, -1))
        else:
            weights = torch.bmm(q_scaled, k.transpose(-2, -1))
        weights = softmax(weights, dim=-1)
        dropped = dropout(weights, p=self.dropout, training=self.training)
        attn_output = torch.bmm(dropped, v).transpose(0, 1).reshape(tgt_len, bsz, embed_dim)
        attn_output = self.out_proj(attn_output).transpose(1, 0)
        if not need_weights:
            return attn_output, None
        weights = weights.view(bsz, self.num_heads, tgt_len, src_len)
        return attn_output, weights.mean(dim=1) if average_attn_weights else weights
