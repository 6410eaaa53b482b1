import torch
from torch import nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.head_dim = embed_dim // num_heads
        self.q_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.k_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.v_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def _bias(self, scores, attn_mask, key_padding_mask):
        """What is added to the scores, (batch or 1, heads or 1, target or 1, source)."""
        total = scores.new_zeros(1, 1, 1, 1)
        if attn_mask is not None:
            if attn_mask.dtype == torch.bool:
                attn_mask = scores.new_zeros(attn_mask.shape).masked_fill(attn_mask, float("-inf"))
            if attn_mask.dim() == 3:
                attn_mask = attn_mask.unflatten(0, (-1, self.num_heads))
            total = total + attn_mask
        elif key_padding_mask is not None:
            padding = key_padding_mask[:, None, None, :]
            total = total + scores.new_zeros(padding.shape).masked_fill(padding, float("-inf"))
        return total

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True):
        def heads(t):
            return t.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

        q, k, v = heads(self.q_proj(query)), heads(self.k_proj(key)), heads(self.v_proj(value))
        scores = q @ k.transpose(-2, -1) / self.head_dim ** 0.5
        scores = scores + self._bias(scores, attn_mask, key_padding_mask)
        weights = scores.softmax(dim=-1)
        out = (self.dropout(weights) @ v).transpose(1, 2).flatten(2)
        out = self.out_proj(out)
        if not need_weights:
            return out, None
        return out, weights.mean(dim=1) if average_attn_weights else weights
