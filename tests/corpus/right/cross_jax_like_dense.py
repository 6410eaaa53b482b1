# right: cross
"""Port of a flax-like module: kernels of shape (in, heads, per_head) and (heads, per_head, out)."""
import torch
from torch import nn


class DenseGeneral(nn.Module):
    def __init__(self, in_shape, out_shape):
        super().__init__()
        self.n_in = len(in_shape)
        self.kernel = nn.Parameter(torch.randn(*in_shape, *out_shape) * 0.1)
        self.bias = nn.Parameter(torch.zeros(*out_shape))

    def forward(self, x):
        return torch.tensordot(x, self.kernel, dims=self.n_in) + self.bias


class CrossAttention(nn.Module):
    def __init__(self, features, num_heads):
        super().__init__()
        per_head = features // num_heads
        self.query = DenseGeneral((features,), (num_heads, per_head))
        self.key = DenseGeneral((features,), (num_heads, per_head))
        self.value = DenseGeneral((features,), (num_heads, per_head))
        self.out = DenseGeneral((num_heads, per_head), (features,))

    def forward(self, inputs_q, inputs_k, inputs_v, mask=None):
        query, key, value = self.query(inputs_q), self.key(inputs_k), self.value(inputs_v)
        query = query / query.shape[-1] ** 0.5
        logits = torch.einsum("...qhd,...khd->...hqk", query, key)
        if mask is not None:
            big_neg = torch.finfo(logits.dtype).min
            logits = torch.where(mask.unsqueeze(-3) > 0, logits, big_neg)
        weights = torch.softmax(logits, dim=-1)
        return self.out(torch.einsum("...hqk,...khd->...qhd", weights, value))
