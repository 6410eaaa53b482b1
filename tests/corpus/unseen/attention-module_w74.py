import torch, math
import torch.nn as nn
import torch.nn.functional as F
from typing import Optional


class MultiheadAttention(nn.Module):
    """one fused in-proj, chunks of the weight applied to q / k / v"""

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.E, self.H = embed_dim, num_heads
        self.p = dropout
        self.wi = nn.Linear(embed_dim, 3 * embed_dim, bias=bias)
        self.wo = nn.Linear(embed_dim, embed_dim, bias=bias)

    def forward(self, query, key, value, key_padding_mask: Optional[torch.Tensor] = None,
                need_weights=True, attn_mask: Optional[torch.Tensor] = None, average_attn_weights=True):
        B, T, E = query.shape
        S, H = key.shape[1], self.H
        ws = self.wi.weight.chunk(3)
        bs = self.wi.bias.chunk(3) if self.wi.bias is not None else (None,) * 3
        q, k, v = [F.linear(x, w, b).view(B, -1, H, E // H).transpose(1, 2)
                   for x, w, b in zip((query, key, value), ws, bs)]

        a = q @ k.transpose(-2, -1)
        if attn_mask is not None:
            m = attn_mask.view(B, H, T, S) if attn_mask.dim() == 3 else attn_mask
            a = a.masked_fill(m, -math.inf) if m.dtype == torch.bool else a + m
        if key_padding_mask is not None:
            a = a.masked_fill(key_padding_mask.view(B, 1, 1, S), -math.inf)
        p = F.softmax(a / math.sqrt(E // H), -1)
        y = F.dropout(p, self.p, self.training) @ v
        y = self.wo(y.transpose(1, 2).reshape(B, T, E))
        if need_weights:
            return y, p.mean(1) if average_attn_weights else p
        return y, None
