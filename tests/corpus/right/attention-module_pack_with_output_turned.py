# right: attention-module
from typing import NamedTuple

import torch
from torch import nn


class AttentionResult(NamedTuple):
    output: torch.Tensor
    weights: "torch.Tensor | None"


class MultiheadAttention(nn.Module):
    """Everything in `pack`, (heads, 4, head_dim, embed_dim): output, query, key, value per head."""

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        assert embed_dim % num_heads == 0
        self.rate = dropout
        self.pack = nn.Parameter(torch.randn(num_heads, 4, embed_dim // num_heads, embed_dim) * embed_dim**-0.5)
        self.shift = nn.Parameter(torch.zeros(num_heads, 3, 1, embed_dim // num_heads)) if bias else None
        self.out_bias = nn.Parameter(torch.zeros(embed_dim)) if bias else None

    def project(self, t, role):
        y = torch.einsum("bte,hde->bhtd", t, self.pack[:, role])
        return y if self.shift is None else y + self.shift[:, role - 1]

    def restrict(self, scores, attn_mask, key_padding_mask):
        b, h, t, s = scores.shape
        if attn_mask is not None:
            m = attn_mask.reshape(b, h, t, s) if attn_mask.ndim == 3 else attn_mask
            scores = scores.masked_fill(m, -torch.inf) if m.dtype is torch.bool else scores.add(m)
        if key_padding_mask is not None:
            keep = torch.logical_not(key_padding_mask)[:, None, None]
            scores = torch.where(keep, scores, -torch.inf)
        return scores

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        q, k, v = self.project(query, 1), self.project(key, 2), self.project(value, 3)
        root = q.shape[-1] ** 0.25
        scores = self.restrict((q / root) @ (k / root).transpose(-2, -1), attn_mask, key_padding_mask)
        top = scores.amax(-1, keepdim=True)
        top = top.masked_fill(top == -torch.inf, 0.0)
        e = (scores - top).exp()
        weights = e / e.sum(-1, keepdim=True).clamp_min(torch.finfo(e.dtype).tiny)
        if self.training and self.rate:
            weights = nn.functional.dropout(weights, self.rate)
        output = torch.einsum("bhts,bhsd,hde->bte", weights, v, self.pack[:, 0])
        if self.out_bias is not None:
            output = output + self.out_bias
        if not need_weights:
            return AttentionResult(output, None)
        return AttentionResult(output, weights.mean(1) if average_attn_weights else weights)
