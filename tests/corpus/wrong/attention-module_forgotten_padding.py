# wrong: attention-module mask-ignored line 27
import torch
from torch import nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.num_heads = num_heads
        self.query = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.key = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.value = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.out = nn.Linear(embed_dim, embed_dim, bias=bias)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        heads = [
            layer(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for layer, x in ((self.query, query), (self.key, key), (self.value, value))
        ]
        q, k, v = heads
        scores = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5
        if attn_mask is not None:
            mask = attn_mask.view(-1, self.num_heads if attn_mask.dim() == 3 else 1, *scores.shape[2:])
            scores = scores.masked_fill(mask, float("-inf")) if mask.dtype == torch.bool else scores + mask
        if key_padding_mask is not None:
            scores.masked_fill(key_padding_mask[:, None, None, :], float("-inf"))
        weights = scores.softmax(dim=-1)
        output = self.out((weights @ v).transpose(1, 2).flatten(2))
        if not need_weights:
            weights = None
        elif average_attn_weights:
            weights = weights.mean(dim=1)
        return output, weights
