# tf.keras.layers.MultiHeadAttention, rewritten for torch
import math

import torch
from torch import nn


class EinsumDense(nn.Module):
    def __init__(self, equation, kernel_shape, bias_shape, fan_in):
        super().__init__()
        self.equation = equation
        limit = math.sqrt(3.0 / fan_in)
        self.kernel = nn.Parameter(torch.empty(kernel_shape).uniform_(-limit, limit))
        self.bias = nn.Parameter(torch.zeros(bias_shape))

    def call(self, inputs):
        return torch.einsum(self.equation, inputs, self.kernel) + self.bias

    forward = call


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1, **kwargs):
        super().__init__()
        self._num_heads = num_heads
        self._key_dim = hidden_dim // num_heads
        self._inverse_sqrt_key_dim = 1.0 / math.sqrt(float(self._key_dim))
        self._built = False
        self._build(hidden_dim)
        self._softmax = nn.Softmax(dim=-1)
        self._dropout_layer = nn.Dropout(dropout)

    def _build(self, d):
        if self._built:
            return
        n, h = self._num_heads, self._key_dim
        common = dict(equation="abc,cde->abde", kernel_shape=(d, n, h), bias_shape=(n, h), fan_in=d)
        self._query_dense = EinsumDense(**common)
        self._key_dense = EinsumDense(**common)
        self._value_dense = EinsumDense(**common)
        self._output_dense = EinsumDense("abde,dec->abc", (n, h, d), (d,), fan_in=d)
        self._built = True

    def _masked_softmax(self, attention_scores, attention_mask):
        if attention_mask is not None:
            attention_mask = attention_mask.unsqueeze(-3)        # (B, 1, T, S)
            adder = (1.0 - attention_mask.to(torch.float32)) * -3e38
            attention_scores = attention_scores.to(torch.promote_types(attention_scores.dtype, torch.float32))
            attention_scores = torch.clamp(attention_scores + adder, min=-3e38)
        return self._softmax(attention_scores)

    def forward(self, query, key, value, attention_mask=None, use_causal_mask=False):
        assert not use_causal_mask, "the source is known as a whole"
        q = self._query_dense(query)     # B T N H
        k = self._key_dense(key)         # B S N H
        v = self._value_dense(value)     # B S N H
        q = q * self._inverse_sqrt_key_dim
        scores = torch.einsum("aecd,abcd->acbe", k, q)           # B N T S
        scores = self._masked_softmax(scores, attention_mask).to(v.dtype)
        out = torch.einsum("acbe,aecd->abcd", self._dropout_layer(scores), v)
        return self._output_dense(out)
