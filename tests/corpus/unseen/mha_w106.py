import math
import torch
from torch import nn, Tensor
from typing import Optional


class MultiHeadAttention(nn.Module):
    """3-D bmm version: heads are folded into the batch axis (fairseq style)."""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.in_proj = nn.Linear(hidden_dim, 3 * hidden_dim, bias=True)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=True)
        self.dropout_module = nn.Dropout(dropout)

    def _fold(self, t: Tensor) -> Tensor:
        bsz, tgt_len, _ = t.shape
        t = t.view(bsz, tgt_len, self.num_heads, self.head_dim).transpose(1, 2)
        return t.reshape(bsz * self.num_heads, tgt_len, self.head_dim)

    def _fold_mask(self, mask: Tensor, length: int) -> Tensor:
        bsz = mask.size(0)
        mask = mask.expand(bsz, mask.size(1), length, length)
        if mask.size(1) == 1:
            return mask[:, 0].repeat(self.num_heads, 1, 1)
        return mask.reshape(bsz * self.num_heads, length, length)

    def forward(self, x: Tensor, attention_mask: Optional[Tensor] = None) -> Tensor:
        bsz, tgt_len, embed_dim = x.size()
        q, k, v = (self._fold(t) for t in self.in_proj(x).chunk(3, dim=-1))
        attn_weights = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            folded = self._fold_mask(attention_mask, tgt_len)
            attn_weights = attn_weights.masked_fill(folded == 0, torch.finfo(attn_weights.dtype).min)
        attn_probs = self.dropout_module(attn_weights.softmax(dim=-1))
        attn = torch.bmm(attn_probs, v)
        attn = attn.view(bsz, self.num_heads, tgt_len, self.head_dim).transpose(1, 2)
        return self.out_proj(attn.reshape(bsz, tgt_len, embed_dim))
