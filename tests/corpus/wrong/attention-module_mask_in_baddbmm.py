# wrong: attention-module mask-scaled line 40
import torch
import torch.nn.functional as F
from torch import nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim)) if bias else None
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def _in_proj(self, *inputs):
        w = self.in_proj_weight.chunk(3)
        b = self.in_proj_bias.chunk(3) if self.in_proj_bias is not None else (None,) * 3
        return [F.linear(t, wi, bi) for t, wi, bi in zip(inputs, w, b)]

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        B, T, E = query.shape
        S = key.size(1)
        H, D = self.num_heads, E // self.num_heads
        # fold the heads into the batch: (B * H, length, D)
        fold = lambda t: t.reshape(B, -1, H, D).transpose(1, 2).reshape(B * H, -1, D)
        q, k, v = map(fold, self._in_proj(query, key, value))

        added = q.new_zeros(B * H, T, S)
        if attn_mask is not None:
            if attn_mask.dtype is torch.bool:
                added = added.masked_fill(attn_mask, float("-inf"))
            else:
                added = added + attn_mask
        if key_padding_mask is not None:
            pad = key_padding_mask.view(B, 1, 1, S).expand(B, H, 1, S).reshape(B * H, 1, S)
            added = added.masked_fill(pad, float("-inf"))

        scores = torch.baddbmm(added, q, k.transpose(1, 2)) / D ** 0.5
        weights = F.dropout(F.softmax(scores, dim=-1), self.dropout, self.training)
        context = torch.bmm(weights, v).view(B, H, T, D).transpose(1, 2).reshape(B, T, E)

        out = self.out_proj(context)
        if need_weights:
            weights = weights.view(B, H, T, S)
            return out, weights.mean(dim=1) if average_attn_weights else weights
        return out, None
