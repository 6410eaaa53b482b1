# wrong: mha heads-view-without-transpose line 17
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x, attention_mask=None):
        b, n, c = x.shape
        d = c // self.heads
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q, k, v = (t.reshape(b, self.heads, n, d) for t in (q, k, v))
        att = q @ k.mT * d ** -0.5
        if attention_mask is not None:
            att = att.masked_fill(attention_mask == 0, -torch.inf)
        y = att.softmax(-1) @ v
        return self.proj(y.transpose(1, 2).flatten(2))
