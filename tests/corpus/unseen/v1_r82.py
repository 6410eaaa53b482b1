"""Keras-flavoured single head attention: layers have build()/call(), kernels are (fan_in, units)."""
import torch
from torch import nn


class Dense(nn.Module):
    def __init__(self, fan_in, units, use_bias=True):
        super().__init__()
        limit = (6.0 / (fan_in + units)) ** 0.5  # glorot_uniform
        self.kernel = nn.Parameter(torch.empty(fan_in, units).uniform_(-limit, limit))
        self.bias = nn.Parameter(torch.zeros(units)) if use_bias else None

    def call(self, inputs):
        outputs = torch.tensordot(inputs, self.kernel, dims=[[inputs.dim() - 1], [0]])
        if self.bias is not None:
            outputs = outputs + self.bias
        return outputs

    forward = call


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self._key_dim = hidden_dim
        self._query_dense = Dense(hidden_dim, hidden_dim)
        self._key_dense = Dense(hidden_dim, hidden_dim, use_bias=False)
        self._value_dense = Dense(hidden_dim, hidden_dim)

    def _compute_attention(self, query, key, value):
        # Keras multiplies the query before the product: a smaller tensor to touch
        query = torch.multiply(query, 1.0 / float(self._key_dim) ** 0.5)
        # (B, T, C) x (B, S, C) -> (B, T, S)
        attention_scores = torch.einsum("aec,abc->abe", key, query)
        attention_scores = torch.softmax(attention_scores, -1)
        return torch.einsum("abe,aec->abc", attention_scores, value)

    def call(self, inputs):
        query = self._query_dense(inputs)
        key = self._key_dense(inputs)
        value = self._value_dense(inputs)
        return self._compute_attention(query, key, value)

    forward = call
