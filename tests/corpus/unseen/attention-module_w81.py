import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.embed_dim, self.num_heads, self.p = embed_dim, num_heads, dropout
        self.head_dim = embed_dim // num_heads
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim)) if bias else None
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def _bias(self, attn_mask, key_padding_mask, B, T, S, like):
        """everything that is added to the scores, (B, H, T, S)"""
        shape = (B, self.num_heads, T, S)
        if attn_mask is None:
            bias = like.new_zeros(shape)
        else:
            if attn_mask.dtype == torch.bool:
                attn_mask = torch.zeros_like(attn_mask, dtype=like.dtype).masked_fill(attn_mask, -math.inf)
            if attn_mask.dim() == 2:
                bias = attn_mask.repeat(B, self.num_heads, 1, 1)
            else:
                bias = attn_mask.reshape(shape)
        if key_padding_mask is not None:
            bias.masked_fill_(key_padding_mask[:, None, None, :], -math.inf)
        return bias

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True):
        B, T, E = query.shape
        S = key.shape[1]
        w = self.in_proj_weight.chunk(3)
        b = self.in_proj_bias.chunk(3) if self.in_proj_bias is not None else (None,) * 3
        q = F.linear(query, w[0], b[0]).view(B, T, self.num_heads, self.head_dim).transpose(1, 2)
        k = F.linear(key, w[1], b[1]).view(B, S, self.num_heads, self.head_dim).transpose(1, 2)
        v = F.linear(value, w[2], b[2]).view(B, S, self.num_heads, self.head_dim).transpose(1, 2)

        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        if attn_mask is not None or key_padding_mask is not None:
            scores = scores + self._bias(attn_mask, key_padding_mask, B, T, S, scores)
        attn = torch.softmax(scores, dim=-1)
        dropped = F.dropout(attn, self.p, self.training)
        out = self.out_proj((dropped @ v).transpose(1, 2).reshape(B, T, E))
        if not need_weights:
            return out, None
        return out, (attn.mean(1) if average_attn_weights else attn)
