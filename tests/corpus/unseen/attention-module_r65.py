"""One head is a function; vmap makes many of it. Parameters are stacked by head."""
import torch
from torch import nn
from torch.func import vmap


def one_head(q, k, v, bias):
    # (t, d), (s, d), (s, d), (t, s)
    w = torch.softmax(q @ k.mT / q.shape[-1] ** 0.5 + bias, dim=-1)
    return w @ v, w


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.num_heads = num_heads
        head_dim = embed_dim // num_heads
        self.w_in = nn.Parameter(torch.randn(3, num_heads, embed_dim, head_dim) / embed_dim ** 0.5)
        self.b_in = nn.Parameter(torch.zeros(3, num_heads, 1, head_dim), requires_grad=bool(bias))
        self.out = nn.Linear(embed_dim, embed_dim, bias=bias)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        batch, target, _ = query.shape
        source = key.size(1)
        q, k, v = (
            x.unsqueeze(1) @ w + b
            for x, w, b in zip((query, key, value), self.w_in, self.b_in)
        )
        bias = query.new_zeros(())
        low = torch.finfo(query.dtype).min / 4
        if attn_mask is not None:
            if attn_mask.dtype == torch.bool:
                attn_mask = torch.zeros_like(attn_mask, dtype=query.dtype).masked_fill(attn_mask, low)
            if attn_mask.dim() == 3:
                attn_mask = attn_mask.unflatten(0, (batch, self.num_heads))
            bias = bias + attn_mask
        if key_padding_mask is not None:
            bias = torch.where(key_padding_mask[:, None, None], low, bias)
        bias = bias.expand(batch, self.num_heads, target, source)
        context, weights = vmap(vmap(one_head))(q, k, v, bias)
        output = self.out(context.movedim(1, 2).flatten(2))
        if not need_weights:
            return output, None
        return output, weights.mean(1) if average_attn_weights else weights
