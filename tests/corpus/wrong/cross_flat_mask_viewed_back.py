# wrong: cross mask-reshaped line 29
import math

import torch
from torch import nn


class CrossAttention(nn.Module):
    """Keys come first in the scores, so that the softmax runs over dim=-2."""

    def __init__(self, d_model, n_heads, p=0.1):
        super().__init__()
        self.n_heads, self.d_head = n_heads, d_model // n_heads
        self.to_q = nn.Linear(d_model, d_model)
        self.to_kv = nn.Linear(d_model, 2 * d_model)
        self.to_out = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(p)

    def forward(self, query, key, value, mask=None):
        b, t, _ = query.shape
        s = key.size(1)
        w_k, w_v = self.to_kv.weight.chunk(2)
        b_k, b_v = self.to_kv.bias.chunk(2)
        q = self.to_q(query).view(b, t, self.n_heads, self.d_head).permute(0, 2, 3, 1)
        k = (key @ w_k.T + b_k).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        v = (value @ w_v.T + b_v).view(b, s, self.n_heads, self.d_head).transpose(1, 2)
        scores = k @ q / math.sqrt(self.d_head)  # (b, heads, s, t)
        if mask is not None:
            per_key = mask.bool().flatten(1).view(b, s, t)
            scores = scores.masked_fill(~per_key[:, None], torch.finfo(scores.dtype).min)
        weights = self.drop(scores.softmax(dim=-2)).mT
        return self.to_out((weights @ v).transpose(1, 2).flatten(2))
