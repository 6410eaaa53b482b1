import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.num_heads = num_heads
        self.p = dropout
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim)) if bias else None
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        ws = self.in_proj_weight.chunk(3)
        bs = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        q, k, v = (
            F.linear(t, w, b).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for t, w, b in zip((query, key, value), ws, bs)
        )
        scores = q @ k.transpose(-2, -1) * q.size(-1) ** -0.5          # (N, H, L, S)
        low = torch.finfo(scores.dtype).min
        if attn_mask is not None:
            if attn_mask.dim() == 3:
                attn_mask = attn_mask.unflatten(0, (-1, self.num_heads))
            if attn_mask.dtype == torch.bool:
                scores = scores.masked_fill(attn_mask, low)
            else:
                scores = scores + attn_mask
        if key_padding_mask is not None:
            scores = scores.masked_fill(key_padding_mask[:, None, None, :], low)
        weights = scores.softmax(dim=-1)
        context = F.dropout(weights, self.p, self.training) @ v
        output = self.out_proj(context.transpose(1, 2).flatten(2))
        if not need_weights:
            return output, None
        return output, weights.mean(dim=1) if average_attn_weights else weights
