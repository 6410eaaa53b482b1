from __future__ import annotations
import torch
from torch import Tensor, nn


def attention_probs(q: Tensor, k: Tensor, attn_mask: Tensor | None, padding: Tensor | None) -> Tensor:
    # q (N, H, T, d), k (N, H, S, d)
    logits = torch.einsum("nhtd,nhsd->nhts", q, k)
    scale = q.shape[-1] ** -0.5
    if attn_mask is not None:
        if attn_mask.dtype == torch.bool:
            logits = logits.masked_fill(attn_mask, float("-inf"))
        else:
            logits = logits + attn_mask
    if padding is not None:
        logits = logits.masked_fill(padding[:, None, None, :], float("-inf"))
    return torch.softmax(logits * scale, dim=-1)


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.q_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.k_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.v_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.o_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.drop = nn.Dropout(dropout)

    def split(self, x: Tensor) -> Tensor:
        n, length, _ = x.shape
        return x.view(n, length, self.num_heads, -1).transpose(1, 2)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
    ) -> tuple[Tensor, Tensor | None]:
        q, k, v = self.split(self.q_proj(query)), self.split(self.k_proj(key)), self.split(self.v_proj(value))
        if attn_mask is not None and attn_mask.dim() == 3:
            attn_mask = attn_mask.view(query.size(0), self.num_heads, *attn_mask.shape[1:])
        probs = attention_probs(q, k, attn_mask, key_padding_mask)
        mixed = (self.drop(probs) @ v).transpose(1, 2).flatten(2)
        weights = None
        if need_weights:
            weights = probs.mean(1) if average_attn_weights else probs
        return self.o_proj(mixed), weights
