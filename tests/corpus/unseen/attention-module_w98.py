import torch
import torch.nn.functional as F
from torch import nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.E, self.H, self.p = embed_dim, num_heads, dropout
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
        nn.init.xavier_uniform_(self.in_proj_weight)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim)) if bias else None
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)

    def forward(
        self, query, key, value, key_padding_mask=None, need_weights=True,
        attn_mask=None, average_attn_weights=True,
    ):
        B, T, E = query.shape
        d = E // self.H
        ws = self.in_proj_weight.chunk(3)
        bs = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        q, k, v = (
            F.linear(t, w, b).view(B, -1, self.H, d)
            for t, w, b in zip((query, key, value), ws, bs)
        )
        logits = torch.einsum("bthd,bshd->bhts", q, k) / d**0.5
        if attn_mask is not None:
            m = attn_mask if attn_mask.dim() == 2 else attn_mask.reshape(B, self.H, T, -1)
            logits = logits.masked_fill(m, float("-inf")) if m.dtype == torch.bool else logits + m
        if key_padding_mask is not None:
            logits = logits.masked_fill(key_padding_mask[:, None, None], float("-inf"))
        probs = torch.softmax(logits, dim=-1)
        probs = F.dropout(probs, self.p, self.training)
        if need_weights and average_attn_weights:
            probs = probs.mean(dim=1, keepdim=True).expand_as(probs)
        out = torch.einsum("bhts,bshd->bthd", probs, v).reshape(B, T, E)
        out = self.out_proj(out)
        if not need_weights:
            return out, None
        return out, probs[:, 0] if average_attn_weights else probs
