# right: attention-module
# A wholly hidden row comes out as zeros, gradients included.
import torch
from torch import nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(embed_dim, 3 * embed_dim, bias=bias)
        self.proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.p = dropout

    def forward(self, query, key, value, *, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        b, t, e = query.shape
        s, h = key.size(1), self.num_heads
        if query is key and key is value:
            q, k, v = self.qkv(query).chunk(3, dim=-1)
        else:
            q = self.qkv(query)[..., :e]
            k = self.qkv(key)[..., e : 2 * e]
            v = self.qkv(value)[..., 2 * e :]
        q = q.view(b, t, h, e // h).transpose(1, 2)
        k = k.view(b, s, h, e // h).transpose(1, 2)
        v = v.view(b, s, h, e // h).transpose(1, 2)
        logits = q @ k.transpose(2, 3) / (e // h) ** 0.5
        blocked = logits.new_zeros(b, h, t, s, dtype=torch.bool)
        if attn_mask is not None:
            full = attn_mask.view(-1, 1 if attn_mask.dim() == 2 else h, t, s)
            if full.is_floating_point():
                logits = logits + full.clamp_min(torch.finfo(logits.dtype).min / 4)
                blocked = blocked | full.isneginf()
            else:
                blocked = blocked | full
        if key_padding_mask is not None:
            blocked = blocked | key_padding_mask.view(b, 1, 1, s)
        empty = blocked.all(dim=-1, keepdim=True)
        logits = logits.masked_fill(blocked & ~empty, float("-inf"))
        attn = logits.softmax(dim=-1).masked_fill(empty, 0.0)
        dropped = nn.functional.dropout(attn, p=self.p, training=self.training)
        out = self.proj((dropped @ v).transpose(1, 2).reshape(b, t, e))
        weights = None
        if need_weights:
            weights = attn
            if average_attn_weights:
                weights = weights.mean(dim=1)
        return out, weights
