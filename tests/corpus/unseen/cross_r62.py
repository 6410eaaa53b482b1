# attn-kata: cross
# flax.linen.MultiHeadDotProductAttention, as far as I can recall it
from __future__ import annotations

import functools

import torch
from torch import Tensor, nn

INPUTS = ("query", "key", "value")


def dense_general(x: Tensor, kernel: Tensor, bias: Tensor, axes: int) -> Tensor:
    """contract the last `axes` axes of x with the first `axes` axes of the kernel"""
    return torch.tensordot(x, kernel, dims=axes) + bias


def dot_product_attention_weights(query: Tensor, key: Tensor, mask: Tensor | None, dropout) -> Tensor:
    query = query / query.shape[-1] ** 0.5
    # attn weight shape is (batch..., num_heads, q_length, kv_length)
    attn_weights = torch.einsum("...qhd,...khd->...hqk", query, key)
    if mask is not None:
        big_neg = torch.finfo(attn_weights.dtype).min
        attn_weights = torch.where(mask.bool(), attn_weights, big_neg)
    attn_weights = torch.softmax(attn_weights, dim=-1)
    return dropout(attn_weights)


class CrossAttention(nn.Module):
    num_heads: int
    head_dim: int

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads, self.head_dim = num_heads, hidden_dim // num_heads
        self.kernels = nn.ParameterDict()
        self.biases = nn.ParameterDict()
        for name in INPUTS:
            self.kernels[name] = nn.init.xavier_normal_(torch.empty(hidden_dim, hidden_dim)).view(
                hidden_dim, self.num_heads, self.head_dim
            )
            self.biases[name] = torch.zeros(self.num_heads, self.head_dim)
        self.kernels["out"] = nn.init.xavier_normal_(torch.empty(hidden_dim, hidden_dim)).view(
            self.num_heads, self.head_dim, hidden_dim
        )
        self.biases["out"] = torch.zeros(hidden_dim)
        self.dropout_rate = dropout

    def _dense(self, name: str, x: Tensor, axes: int = 1) -> Tensor:
        return dense_general(x, self.kernels[name], self.biases[name], axes)

    def forward(self, inputs_q: Tensor, inputs_k: Tensor, inputs_v: Tensor, mask: Tensor | None = None) -> Tensor:
        q, k, v = map(self._dense, INPUTS, (inputs_q, inputs_k, inputs_v))   # [..., len, heads, head_dim]
        if mask is not None:
            mask = mask[..., None, :, :]
        dropout = functools.partial(nn.functional.dropout, p=self.dropout_rate, training=self.training)
        weights = dot_product_attention_weights(q, k, mask, dropout)
        x = torch.einsum("...hqk,...khd->...qhd", weights, v)
        return self._dense("out", x, axes=2)
