from typing import Optional

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn import Linear, Module, Parameter
from torch.nn.init import constant_, xavier_uniform_


class CrossAttention(Module):
    """The parameters are laid out as in torch.nn, so that its checkpoints load."""

    def __init__(self, hidden_dim, num_heads, dropout=0.1, bias=True, add_zero_attn=True):
        super().__init__()
        self.embed_dim = hidden_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.head_dim = hidden_dim // num_heads
        assert self.head_dim * num_heads == self.embed_dim, "embed_dim must be divisible by num_heads"
        self.in_proj_weight = Parameter(torch.empty((3 * hidden_dim, hidden_dim)))
        if bias:
            self.in_proj_bias = Parameter(torch.empty(3 * hidden_dim))
        else:
            self.register_parameter("in_proj_bias", None)
        self.out_proj = Linear(hidden_dim, hidden_dim, bias=bias)
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self):
        xavier_uniform_(self.in_proj_weight)
        if self.in_proj_bias is not None:
            constant_(self.in_proj_bias, 0.0)
            constant_(self.out_proj.bias, 0.0)

    def _in_projection_packed(self, q, k, v):
        w_q, w_k, w_v = self.in_proj_weight.chunk(3)
        if self.in_proj_bias is None:
            b_q = b_k = b_v = None
        else:
            b_q, b_k, b_v = self.in_proj_bias.chunk(3)
        return F.linear(q, w_q, b_q), F.linear(k, w_k, b_k), F.linear(v, w_v, b_v)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        bsz, tgt_len, embed_dim = query.shape
        q, k, v = self._in_projection_packed(query, key, value)
        q = q.reshape(bsz, tgt_len, self.num_heads, self.head_dim).transpose(1, 2)
        k = k.reshape(bsz, key.shape[1], self.num_heads, self.head_dim).transpose(1, 2)
        v = v.reshape(bsz, value.shape[1], self.num_heads, self.head_dim).transpose(1, 2)
        if self.add_zero_attn:
            zero_attn_shape = (bsz, self.num_heads, 1, self.head_dim)
            k = torch.cat([k, torch.zeros(zero_attn_shape, dtype=k.dtype, device=k.device)], dim=2)
            v = torch.cat([v, torch.zeros(zero_attn_shape, dtype=v.dtype, device=v.device)], dim=2)
            if mask is not None:
                mask = torch.cat([mask, mask.new_ones(bsz, tgt_len, 1)], dim=2)
        attn_output_weights = (q * self.head_dim ** -0.5) @ k.transpose(-2, -1)
        if mask is not None:
            attn_output_weights = attn_output_weights.masked_fill(
                mask.unsqueeze(1) == 0, torch.finfo(attn_output_weights.dtype).min
            )
        attn_output_weights = F.softmax(attn_output_weights, dim=-1)
        attn_output_weights = F.dropout(attn_output_weights, p=self.dropout, training=self.training)
        attn_output = (attn_output_weights @ v).transpose(1, 2).reshape(bsz, tgt_len, embed_dim)
        return self.out_proj(attn_output)
