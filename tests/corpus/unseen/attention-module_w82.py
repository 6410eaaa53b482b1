from typing import Optional, Tuple

import torch
from torch import Tensor, nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True):
        super().__init__()
        assert embed_dim % num_heads == 0
        self.num_heads = num_heads
        self.scale = (embed_dim // num_heads) ** -0.5
        self.query_layer = nn.Linear(embed_dim, embed_dim, bias)
        self.key_layer = nn.Linear(embed_dim, embed_dim, bias)
        self.value_layer = nn.Linear(embed_dim, embed_dim, bias)
        self.output_layer = nn.Linear(embed_dim, embed_dim, bias)
        self.attn_dropout = nn.Dropout(dropout)

    def _report(self, weights: Tensor, average: bool) -> Tensor:
        if weights.shape[1] == 1:
            return weights.squeeze(1)
        return weights.mean(dim=1) if average else weights

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Optional[Tensor] = None,
        need_weights: bool = True,
        attn_mask: Optional[Tensor] = None,
        average_attn_weights: bool = True,
    ) -> Tuple[Tensor, Optional[Tensor]]:
        batch, target, embed_dim = query.shape
        q = self.query_layer(query).unflatten(2, (self.num_heads, -1))
        k = self.key_layer(key).unflatten(2, (self.num_heads, -1))
        v = self.value_layer(value).unflatten(2, (self.num_heads, -1))
        scores = torch.einsum("bthd,bshd->bhts", q, k) * self.scale
        if attn_mask is not None:
            if attn_mask.dim() == 3:
                attn_mask = attn_mask.view(batch, self.num_heads, target, -1)
            if attn_mask.dtype == torch.bool:
                scores = scores.masked_fill(attn_mask, float("-inf"))
            else:
                scores = scores + attn_mask
        if key_padding_mask is not None:
            scores = scores.masked_fill(key_padding_mask[:, None, None, :], float("-inf"))
        weights = scores.softmax(dim=-1)
        context = torch.einsum("bhts,bshd->bthd", self.attn_dropout(weights), v)
        output = self.output_layer(context.reshape(batch, target, embed_dim))
        return output, self._report(weights, average_attn_weights) if need_weights else None
