import torch
import torch.nn.functional as F
from torch import nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.h, self.p = num_heads, dropout
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim)) if bias else None
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def _merge(self, attn_mask, key_padding_mask, batch):
        """One mask that broadcasts to (batch, heads, target, source), or None."""
        if attn_mask is not None and attn_mask.dim() == 3:
            attn_mask = attn_mask.unflatten(0, (batch, self.h))
        if key_padding_mask is None:
            return attn_mask
        padding = key_padding_mask[:, None, None, :]
        if attn_mask is None:
            return padding
        return attn_mask.bool() | padding

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True):
        b, t, c = query.shape
        ws = self.in_proj_weight.chunk(3)
        bs = self.in_proj_bias.chunk(3) if self.in_proj_bias is not None else (None,) * 3
        q, k, v = (F.linear(z, w, bb).view(b, -1, self.h, c // self.h).transpose(1, 2)
                   for z, w, bb in zip((query, key, value), ws, bs))
        att = q @ k.transpose(-2, -1) * (c // self.h) ** -0.5
        mask = self._merge(attn_mask, key_padding_mask, b)
        if mask is not None:
            att = att.masked_fill(mask, torch.finfo(att.dtype).min) if mask.dtype == torch.bool else att + mask
        att = F.dropout(F.softmax(att, dim=-1), self.p, self.training)
        out = self.out_proj((att @ v).transpose(1, 2).reshape(b, t, c))
        if need_weights:
            return out, att.mean(1) if average_attn_weights else att
        return out, None
