# attn-kata: attention-module
import math
import torch
import torch.nn as nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.E, self.H = embed_dim, num_heads
        self.w_q = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.w_k = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.w_v = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.w_o = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.drop = nn.Dropout(dropout)

    def _bias(self, N, L, S, like, key_padding_mask, attn_mask):
        bias = torch.zeros(N, 1, L, S, dtype=like.dtype, device=like.device)
        if attn_mask is not None:
            m = attn_mask.view(-1, self.H, L, S) if attn_mask.dim() == 3 else attn_mask
            if m.dtype == torch.bool:
                bias = bias.masked_fill(m.logical_not(), -math.inf)
            else:
                bias = bias + m
        if key_padding_mask is not None:
            bias = bias.masked_fill(key_padding_mask.view(N, 1, 1, S), -math.inf)
        return bias

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True):
        N, L, _ = query.shape
        S = key.shape[1]
        D = self.E // self.H
        q = self.w_q(query).view(N, L, self.H, D).transpose(1, 2)
        k = self.w_k(key).view(N, S, self.H, D).transpose(1, 2)
        v = self.w_v(value).view(N, S, self.H, D).transpose(1, 2)
        logits = q @ k.transpose(-2, -1) / math.sqrt(D)
        logits = logits + self._bias(N, L, S, logits, key_padding_mask, attn_mask)
        attn = logits.softmax(dim=-1)
        out = self.w_o((self.drop(attn) @ v).transpose(1, 2).reshape(N, L, self.E))
        if need_weights:
            return out, (attn.mean(dim=1) if average_attn_weights else attn)
        return out, None
