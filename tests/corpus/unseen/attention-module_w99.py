import torch
from torch import nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.q_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.k_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.v_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.attn_dropout = nn.Dropout(dropout)

    def shape(self, t):
        b, n, _ = t.shape
        return t.reshape(b, n, self.num_heads, self.head_dim).transpose(1, 2).reshape(b * self.num_heads, n, -1)

    def merge_masks(self, key_padding_mask, attn_mask, like):
        """One additive mask of (batch * heads, target, source)."""
        mask = torch.zeros_like(like)
        if attn_mask is not None:
            if attn_mask.dtype == torch.bool:
                mask = mask.masked_fill(attn_mask, float("-inf"))
            else:
                mask = mask + attn_mask
        if key_padding_mask is not None:
            padding = key_padding_mask.repeat_interleave(self.num_heads, dim=0)
            mask = mask.masked_fill(padding[:, None, :], float("-inf"))
        return mask

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
        q, k, v = self.shape(self.q_proj(query)), self.shape(self.k_proj(key)), self.shape(self.v_proj(value))
        products = torch.bmm(q, k.transpose(1, 2))
        mask = self.merge_masks(key_padding_mask, attn_mask, products)
        scale = self.head_dim ** -0.5
        weights = torch.softmax((products + mask) * scale, dim=-1)
        out = torch.bmm(self.attn_dropout(weights), v)
        out = out.unflatten(0, (-1, self.num_heads)).transpose(1, 2).flatten(2)
        out = self.out_proj(out)
        if not need_weights:
            return out, None
        weights = weights.unflatten(0, (-1, self.num_heads))
        if average_attn_weights:
            weights = weights.mean(dim=1)
        return out, weights
