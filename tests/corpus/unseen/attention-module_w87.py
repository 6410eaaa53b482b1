# attn-kata: attention-module
import math

import torch
from torch import Tensor, nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.query_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.key_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.value_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.output_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.attn_dropout = nn.Dropout(dropout)

    def _heads(self, t: Tensor) -> Tensor:
        return t.view(*t.shape[:2], self.num_heads, self.head_dim).transpose(1, 2)

    def _apply_masks(self, scores: Tensor, padding: Tensor | None, mask: Tensor | None) -> Tensor:
        batch, heads, target, source = scores.shape
        if mask is not None:
            if mask.ndim == 3:
                mask = mask.view(heads, batch, target, source).transpose(0, 1)
            if mask.dtype == torch.bool:
                scores = scores.masked_fill(mask, float("-inf"))
            else:
                scores = scores + mask
        if padding is not None:
            scores = scores.masked_fill(padding[:, None, None, :], float("-inf"))
        return scores

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True):
        q = self._heads(self.query_proj(query))
        k = self._heads(self.key_proj(key))
        v = self._heads(self.value_proj(value))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        scores = self._apply_masks(scores, key_padding_mask, attn_mask)
        weights = torch.softmax(scores, dim=-1)
        context = self.attn_dropout(weights) @ v
        output = self.output_proj(context.transpose(1, 2).reshape(query.shape))
        if not need_weights:
            return output, None
        return output, weights.mean(dim=1) if average_attn_weights else weights
