"""flax.linen.MultiHeadDotProductAttention, translated: DenseGeneral with (features, heads, head_dim)."""
import math
import string

import torch
from torch import nn


def lecun_normal(shape, fan_in):
    return nn.Parameter(torch.randn(shape) / math.sqrt(fan_in))


class DenseGeneral(nn.Module):
    """contracts the last `axis` axes of the input with the first axes of the kernel"""

    def __init__(self, in_shape, out_shape):
        super().__init__()
        self.n_in, self.n_out = len(in_shape), len(out_shape)
        self.kernel = lecun_normal((*in_shape, *out_shape), math.prod(in_shape))
        self.bias = nn.Parameter(torch.zeros(out_shape))
        a = string.ascii_lowercase
        i, o = a[: self.n_in], a[self.n_in : self.n_in + self.n_out]
        self.spec = f"...{i},{i}{o}->...{o}"

    def forward(self, inputs):
        return torch.einsum(self.spec, inputs, self.kernel) + self.bias


class MultiHeadAttention(nn.Module):
    def __init__(self, *, num_heads, hidden_dim, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0, "features must be divisible by num_heads"
        split = (num_heads, hidden_dim // num_heads)
        self.query = DenseGeneral((hidden_dim,), split)
        self.key = DenseGeneral((hidden_dim,), split)
        self.value = DenseGeneral((hidden_dim,), split)
        self.out = DenseGeneral(split, (hidden_dim,))
        self.dropout_rate = dropout

    @property
    def deterministic(self):
        return not self.training

    def forward(self, x, attention_mask=None):
        q, k, v = self.query(x), self.key(x), self.value(x)      # (b, l, h, d)
        q = q / math.sqrt(q.shape[-1])
        w = torch.einsum("bqhd,bkhd->bhqk", q, k)
        if attention_mask is not None:
            big_neg = torch.finfo(w.dtype).min
            w = torch.where(attention_mask.to(torch.bool), w, w.new_tensor(big_neg))
        w = torch.softmax(w, dim=-1)
        if not self.deterministic and self.dropout_rate > 0.0:
            w = nn.functional.dropout(w, self.dropout_rate)
        return self.out(torch.einsum("bhqk,bkhd->bqhd", w, v))
