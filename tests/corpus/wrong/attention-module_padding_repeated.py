# wrong: attention-module mask-fold-differs line 31
import torch
import torch.nn.functional as F
from torch import nn


class MultiheadAttention(nn.Module):
    """Heads folded into the batch for bmm."""

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.num_heads, self.p = num_heads, dropout
        self.lin_q, self.lin_k, self.lin_v, self.lin_o = (
            nn.Linear(embed_dim, embed_dim, bias=bias) for _ in range(4)
        )

    def fold(self, x):
        b, n, e = x.shape
        x = x.view(b, n, self.num_heads, e // self.num_heads).transpose(1, 2)
        return x.reshape(b * self.num_heads, n, -1)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        b, t, e = query.shape
        q, k, v = self.fold(self.lin_q(query)), self.fold(self.lin_k(key)), self.fold(self.lin_v(value))
        att = torch.bmm(q, k.transpose(1, 2)) / (e // self.num_heads) ** 0.5
        if attn_mask is not None:
            att = att.masked_fill(attn_mask, float("-inf")) if attn_mask.dtype == torch.bool else att + attn_mask
        if key_padding_mask is not None:
            # one row of padding for every head
            padding = key_padding_mask.repeat(self.num_heads, 1)
            att = att.masked_fill(padding.unsqueeze(1), float("-inf"))
        att = F.softmax(att, dim=-1)
        out = torch.bmm(F.dropout(att, self.p, self.training), v)
        out = out.view(b, self.num_heads, t, -1).transpose(1, 2).reshape(b, t, e)
        out = self.lin_o(out)
        if not need_weights:
            return out, None
        att = att.view(b, self.num_heads, t, -1)
        return out, att.mean(1) if average_attn_weights else att
