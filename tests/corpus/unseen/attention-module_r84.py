import torch
from torch import nn


class MultiheadAttention(nn.Module):
    """Heads folded into the batch from the start, as (batch * num_heads, length, head_dim)."""

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.proj = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim, bias) for n in "qkvo"})
        self.dropout = nn.Dropout(dropout)

    def fold(self, name, t):
        t = self.proj[name](t).unflatten(-1, (self.num_heads, -1))
        return t.transpose(1, 2).flatten(0, 1)

    def gather_bias(self, like, padding, mask):
        total = torch.zeros_like(like)
        if padding is not None:
            every = padding.repeat_interleave(self.num_heads, dim=0).unsqueeze(1)
            total = total.masked_fill(every, -torch.inf)
        if mask is None:
            return total
        if mask.dtype is torch.bool:
            return total.masked_fill(mask, -torch.inf)
        return total + mask

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        q, k, v = self.fold("q", query), self.fold("k", key), self.fold("v", value)
        raw = torch.bmm(q, k.mT) / (self.embed_dim // self.num_heads) ** 0.5
        p = torch.softmax(raw + self.gather_bias(raw, key_padding_mask, attn_mask), -1)
        y = torch.bmm(self.dropout(p), v).unflatten(0, (-1, self.num_heads))
        y = self.proj["o"](y.transpose(1, 2).flatten(2))
        weights = None
        if need_weights:
            weights = p.unflatten(0, (-1, self.num_heads))
            if average_attn_weights:
                weights = weights.mean(1)
        return y, weights
