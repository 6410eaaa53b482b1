# wrong: attention-module returned-scores line 25
# fair: returned-scores 27
import torch
from torch import nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.num_heads = num_heads
        self.in_proj = nn.Linear(embed_dim, 3 * embed_dim, bias=bias)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.drop = nn.Dropout(dropout)

    def part(self, x, which):
        w = self.in_proj.weight.chunk(3)[which]
        b = None if self.in_proj.bias is None else self.in_proj.bias.chunk(3)[which]
        x = nn.functional.linear(x, w, b)
        return x.reshape(*x.shape[:2], self.num_heads, -1).transpose(1, 2)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        q, k, v = self.part(query, 0), self.part(key, 1), self.part(value, 2)
        scores = q @ k.transpose(-1, -2) * q.size(-1) ** -0.5
        attention_map = scores.softmax(dim=-1)
        if need_weights and average_attn_weights:
            attention_map = attention_map.mean(dim=1)
        if attn_mask is not None:
            if attn_mask.dim() == 3:
                attn_mask = attn_mask.view_as(scores)
            if attn_mask.dtype == torch.bool:
                attn_mask = torch.zeros_like(attn_mask, dtype=scores.dtype).masked_fill(attn_mask, float("-inf"))
            scores = scores + attn_mask
        if key_padding_mask is not None:
            scores = scores.masked_fill(key_padding_mask[:, None, None, :], float("-inf"))
        weights = self.drop(scores.softmax(dim=-1))
        output = self.out_proj((weights @ v).transpose(1, 2).flatten(2))
        if not need_weights:
            return output, None
        return output, attention_map
