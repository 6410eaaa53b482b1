# wrong: mha parameters-not-registered line 10, scale-missing line 15
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.0):
        super().__init__()
        self.num_heads = num_heads
        self.wq, self.wk, self.wv, self.wo = (torch.randn(hidden_dim, hidden_dim, requires_grad=True) for _ in range(4))

    def forward(self, x, attention_mask=None):
        split = lambda w: (x @ w.to(x)).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        q, k, v = split(self.wq), split(self.wk), split(self.wv)
        s = q @ k.mT
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, float("-inf"))
        o = s.softmax(-1) @ v
        return o.transpose(1, 2).flatten(2) @ self.wo.to(x)
