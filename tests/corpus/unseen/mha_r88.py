# all weights live in ONE tensor: (4, heads, hidden, head_dim)
import torch
from torch.nn import *


class MultiHeadAttention(Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        d = hidden_dim // num_heads
        self.blob = Parameter(torch.randn(4, num_heads, hidden_dim, d) * hidden_dim ** -0.5)
        self.keep = 1.0 - dropout

    def _drop(self, w):
        if not self.training or self.keep == 1.0:
            return w
        if self.keep == 0.0:
            return w * 0
        return w * torch.bernoulli(torch.full_like(w, self.keep)) / self.keep

    def one_head(self, x, mats, mask):
        q, k, v = x @ mats[0], x @ mats[1], x @ mats[2]
        s = q @ k.transpose(-1, -2) / (k.shape[-1] ** 0.5)
        if mask is not None:
            s = torch.where(mask != 0, s, torch.finfo(s.dtype).min)
        w = self._drop(s.softmax(-1))
        return (w @ v) @ mats[3].T  # this head's share of the output projection

    def forward(self, x, attention_mask=None):
        B, T, _ = x.shape
        total = 0
        for h in range(self.blob.shape[1]):
            m = attention_mask
            if m is not None:
                m = m.expand(B, self.blob.shape[1], T, T)[:, h]
            total = total + self.one_head(x, self.blob[:, h], m)
        return total
