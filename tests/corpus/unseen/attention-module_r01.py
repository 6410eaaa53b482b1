# attn-kata: attention-module
import numpy as np
import torch
from torch import nn


class _Head(nn.Module):
    def __init__(self, width, size, bias):
        super().__init__()
        self.q = nn.Linear(width, size, bias=bias)
        self.k = nn.Linear(width, size, bias=bias)
        self.v = nn.Linear(width, size, bias=bias)

    def forward(self, query, key, value, bias):
        q, k, v = self.q(query), self.k(key), self.v(value)
        s = torch.bmm(q, k.transpose(1, 2)) / float(np.sqrt(q.shape[-1]))
        if bias is not None:
            s = s + bias
        s = s - s.max(dim=-1, keepdim=True).values
        e = torch.exp(s)
        return e / e.sum(-1, keepdim=True), v


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        size = embed_dim // num_heads
        self.heads = nn.ModuleList([_Head(embed_dim, size, bias) for _ in range(num_heads)])
        self.merge = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True):
        n_heads = len(self.heads)
        all_weights, contexts = [], []
        for h in range(n_heads):
            bias = torch.zeros(query.shape[0], query.shape[1], key.shape[1], dtype=query.dtype, device=query.device)
            if attn_mask is not None:
                part = attn_mask if attn_mask.ndim == 2 else attn_mask[h::n_heads]
                bias = bias.masked_fill(part, -np.inf) if part.dtype == torch.bool else bias + part
            if key_padding_mask is not None:
                bias = bias.masked_fill(key_padding_mask[:, np.newaxis, :], -np.inf)
            w, v = self.heads[h](query, key, value, bias)
            contexts.append(torch.bmm(self.dropout(w), v))
            all_weights.append(w)
        output = self.merge(torch.cat(contexts, dim=-1))
        if not need_weights:
            return output, None
        stacked = torch.stack(all_weights, dim=1)
        return output, stacked.mean(dim=1) if average_attn_weights else stacked
