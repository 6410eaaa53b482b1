"""nn.MultiHeadDotProductAttention, from memory, in torch. Axes: b(atch) q k h(ead) d(epth) c."""
import torch
from torch import nn


class DenseGeneral(nn.Module):
    """Contracts the trailing len(in_shape) axes with a kernel of in_shape + out_shape."""

    def __init__(self, in_shape, out_shape):
        super().__init__()
        fan_in = 1
        for n in in_shape:
            fan_in *= n
        self.kernel = nn.Parameter(torch.randn(*in_shape, *out_shape) * fan_in**-0.5)
        self.bias = nn.Parameter(torch.zeros(*out_shape))
        self.n = len(in_shape)

    def forward(self, inputs):
        return torch.tensordot(inputs, self.kernel, dims=self.n) + self.bias


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0, "memory dimension must be divisible by number of heads"
        heads = (num_heads, hidden_dim // num_heads)
        self.query = DenseGeneral((hidden_dim,), heads)
        self.key = DenseGeneral((hidden_dim,), heads)
        self.value = DenseGeneral((hidden_dim,), heads)
        self.out = DenseGeneral(heads, (hidden_dim,))
        self.dropout_rate = dropout

    def forward(self, inputs_q, attention_mask=None):
        query, key, value = (f(inputs_q) for f in (self.query, self.key, self.value))
        query = query / query.shape[-1] ** 0.5
        attn_weights = torch.einsum("...qhd,...khd->...hqk", query, key)
        if attention_mask is not None:
            big_neg = torch.tensor(
                torch.finfo(attn_weights.dtype).min, dtype=attn_weights.dtype, device=attn_weights.device
            )
            attn_weights = torch.where(attention_mask > 0, attn_weights, big_neg)
        attn_weights = torch.softmax(attn_weights, -1)
        if self.training and self.dropout_rate > 0.0:
            keep_prob = 1.0 - self.dropout_rate
            keep = torch.rand_like(attn_weights) < keep_prob
            attn_weights = attn_weights * keep / keep_prob
        return self.out(torch.einsum("...hqk,...khd->...qhd", attn_weights, value))
