# wrong: attention-module mask-fold-differs line 29
import torch
from torch import nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Parameter(torch.randn(3, embed_dim, embed_dim) * embed_dim**-0.5)
        self.o = nn.Parameter(torch.randn(embed_dim, embed_dim) * embed_dim**-0.5)
        self.drop = nn.Dropout(dropout)

    def to_heads(self, x, w):
        x = x @ w
        return x.view(x.shape[0], x.shape[1], self.num_heads, -1).transpose(1, 2)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        q, k, v = (self.to_heads(x, w) for x, w in zip((query, key, value), self.qkv))
        batch, heads, target, source = *q.shape[:3], k.shape[2]
        scores = q @ k.mT / q.shape[-1] ** 0.5
        mask = scores.new_zeros(())
        if attn_mask is not None:
            mask = attn_mask
            if mask.dtype == torch.bool:
                mask = torch.zeros_like(mask, dtype=scores.dtype).masked_fill(mask, -torch.inf)
            if mask.dim() == 3:
                mask = mask.view(heads, batch, target, source).transpose(0, 1)
        if key_padding_mask is not None:
            scores = scores.masked_fill(key_padding_mask[:, None, None], -torch.inf)
        attn = (scores + mask).softmax(-1)
        out = (self.drop(attn) @ v).transpose(1, 2).flatten(2) @ self.o
        if not need_weights:
            return out, None
        return out, attn.mean(1) if average_attn_weights else attn
