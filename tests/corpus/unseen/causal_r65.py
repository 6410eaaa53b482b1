from __future__ import annotations

import torch
from torch import Tensor, nn


class EinsumDense(nn.Module):
    """keras.layers.EinsumDense, as far as MultiHeadAttention needs it."""

    def __init__(self, equation: str, kernel_shape: tuple, bias_shape: tuple) -> None:
        super().__init__()
        self.equation = equation
        self.kernel = nn.Parameter(torch.empty(kernel_shape))
        self.bias = nn.Parameter(torch.zeros(bias_shape))
        nn.init.trunc_normal_(self.kernel, std=0.05)

    def forward(self, inputs: Tensor) -> Tensor:
        return torch.einsum(self.equation, inputs, self.kernel) + self.bias


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError(f"`hidden_dim`={hidden_dim} is no multiple of `num_heads`={num_heads}")
        key_dim = hidden_dim // num_heads
        split = ("abc,cde->abde", (hidden_dim, num_heads, key_dim), (num_heads, key_dim))
        self._query_dense = EinsumDense(*split)
        self._key_dense = EinsumDense(*split)
        self._value_dense = EinsumDense(*split)
        self._output_dense = EinsumDense(
            "abde,dec->abc", (num_heads, key_dim, hidden_dim), (hidden_dim,)
        )
        self._inverse_sqrt_key_dim = 1.0 / key_dim**0.5
        self._max_length = block_size

    def compute_causal_mask(self, inputs: Tensor) -> Tensor:
        length = inputs.size(1)
        ones = torch.ones((1, length, length), dtype=torch.int32, device=inputs.device)
        row_index = torch.cumsum(ones, dim=-2)
        col_index = torch.cumsum(ones, dim=-1)
        return torch.greater_equal(row_index, col_index).unsqueeze(1)

    def call(self, inputs: Tensor, mask: Tensor) -> Tensor:
        query = self._query_dense(inputs) * self._inverse_sqrt_key_dim
        key = self._key_dense(inputs)
        value = self._value_dense(inputs)
        # scores are (batch, heads, query, key)
        scores = torch.einsum("aecd,abcd->acbe", key, query)
        neg = torch.full((), float("-inf"), dtype=scores.dtype, device=scores.device)
        probs = torch.softmax(torch.where(mask, scores, neg), dim=-1)
        context = torch.einsum("acbe,aecd->abcd", probs, value)
        return self._output_dense(context)

    def forward(self, x: Tensor) -> Tensor:
        assert x.size(1) <= self._max_length
        return self.call(x, mask=self.compute_causal_mask(x))
