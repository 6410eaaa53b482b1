# wrong: mha dropout-missing line 28
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads, self.dropout = num_heads, dropout
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def heads(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, x, attention_mask=None):
        q, k, v = map(self.heads, self.qkv(x).chunk(3, -1))
        way = self.open if attention_mask is None else self.closed
        y = way(q @ k.mT / q.shape[-1] ** 0.5, attention_mask) @ v
        return self.out(y.transpose(1, 2).flatten(2))

    def open(self, scores, _):
        weights = scores.softmax(-1)
        kept = torch.rand_like(weights) >= self.dropout
        return weights * kept / (1 - self.dropout) if self.training else weights

    def closed(self, scores, mask):
        return scores.masked_fill(mask == 0, float("-inf")).softmax(-1)
