import math

import torch
from torch import nn


class MultiheadAttention(nn.Module):
    """Deutsche Kommentare, englische Namen."""

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.q_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.k_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.v_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.drop = nn.Dropout(dropout)

    def fold(self, t):
        # (batch, länge, breite) -> (batch * köpfe, länge, kopfbreite)
        b, n, _ = t.shape
        t = t.view(b, n, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
        return t.reshape(b * self.num_heads, n, self.head_dim)

    def forward(
        self,
        query,
        key,
        value,
        key_padding_mask=None,
        need_weights=True,
        attn_mask=None,
        average_attn_weights=True,
    ):
        b, t, e = query.shape
        s = key.shape[1]
        q, k, v = self.fold(self.q_proj(query)), self.fold(self.k_proj(key)), self.fold(self.v_proj(value))

        # beide Masken werden zu einer Summe, 0 heißt sichtbar
        bias = q.new_zeros(b * self.num_heads, t, s)
        if attn_mask is not None and attn_mask.dtype == torch.bool:
            bias = bias.masked_fill(attn_mask, -math.inf)
        elif attn_mask is not None:
            bias = bias + attn_mask
        if key_padding_mask is not None:
            # jede Zeile der Auffüllung gilt für alle Köpfe ihres Beispiels
            padding = key_padding_mask.repeat_interleave(self.num_heads, dim=0).unsqueeze(1)
            bias = bias.masked_fill(padding, -math.inf)

        scores = torch.baddbmm(bias, q, k.transpose(1, 2)) / math.sqrt(self.head_dim)
        weights = torch.softmax(scores, dim=-1)
        context = torch.bmm(self.drop(weights), v)
        context = context.view(b, self.num_heads, t, self.head_dim).transpose(1, 2).reshape(b, t, e)
        output = self.out_proj(context)

        if not need_weights:
            return output, None
        weights = weights.view(b, self.num_heads, t, s)
        return output, weights.mean(dim=1) if average_attn_weights else weights
