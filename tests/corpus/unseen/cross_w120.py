from typing import Optional

import torch
from torch import Tensor, nn


class CrossAttention(nn.Module):
    """Decoder-to-encoder attention."""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.attn_drop = nn.Dropout(dropout)

    def _shape(self, states: Tensor) -> Tensor:
        return states.view(*states.shape[:2], self.num_heads, self.head_dim).transpose(1, 2)

    @staticmethod
    def _extended_mask(mask: Tensor, dtype: torch.dtype) -> Tensor:
        """(batch, Tq, Tk) of ones and zeros -> four axes, to be added to the scores."""
        mask = mask[None, :, :, :]
        blocked = torch.zeros(mask.shape, dtype=dtype, device=mask.device)
        return blocked.masked_fill(mask == 0, torch.finfo(dtype).min)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        q = self._shape(self.q_proj(query)) / self.head_dim ** 0.5
        k = self._shape(self.k_proj(key))
        v = self._shape(self.v_proj(value))
        scores = q @ k.transpose(2, 3)
        if mask is not None:
            scores = scores + self._extended_mask(mask, scores.dtype)
        probs = self.attn_drop(scores.softmax(dim=-1))
        context = (probs @ v).transpose(1, 2).reshape(query.shape)
        return self.out_proj(context)
