from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class DynamicCache:
    """Immutable: update() gives back a new object and leaves this one alone."""

    key_cache: Tensor
    value_cache: Tensor

    @classmethod
    def empty(cls, batch: int, heads: int, dim: int, like: Tensor) -> DynamicCache:
        nothing = like.new_empty(batch, heads, 0, dim)
        return cls(nothing, nothing)

    def get_seq_length(self) -> int:
        return self.key_cache.shape[-2]

    def update(self, key_states: Tensor, value_states: Tensor) -> DynamicCache:
        return replace(
            self,
            key_cache=torch.cat((self.key_cache, key_states), -2),
            value_cache=torch.cat((self.value_cache, value_states), -2),
        )


class CachedSelfAttention(nn.Module):
    """OPT naming and shape helpers"""

    def __init__(self, embed_dim: int, num_heads: int) -> None:
        super().__init__()
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.head_dim, rest = divmod(embed_dim, num_heads)
        assert rest == 0
        self.scaling = self.head_dim**-0.5
        for name in ("k_proj", "v_proj", "q_proj", "out_proj"):
            self.register_module(name, nn.Linear(embed_dim, embed_dim, bias=True))

    def _shape(self, tensor: Tensor, seq_len: int, bsz: int) -> Tensor:
        return tensor.view(bsz, seq_len, self.num_heads, self.head_dim).transpose(1, 2).contiguous()

    def _prepare_decoder_attention_mask(self, tgt_len: int, past: int, like: Tensor) -> Tensor:
        mask = torch.full((tgt_len, tgt_len), -math.inf, dtype=like.dtype, device=like.device).triu(1)
        return torch.cat([mask.new_zeros(tgt_len, past), mask], dim=-1)

    def forward(
        self, hidden_states: Tensor, past_key_value: DynamicCache | None = None
    ) -> tuple[Tensor, DynamicCache]:
        bsz, tgt_len, _ = hidden_states.size()
        cache = past_key_value
        if cache is None:
            cache = DynamicCache.empty(bsz, self.num_heads, self.head_dim, hidden_states)
        past = cache.get_seq_length()
        query_states = self._shape(self.q_proj(hidden_states) * self.scaling, tgt_len, bsz)
        new = cache.update(
            self._shape(self.k_proj(hidden_states), tgt_len, bsz), self._shape(self.v_proj(hidden_states), tgt_len, bsz)
        )
        attn_weights = query_states @ new.key_cache.transpose(2, 3)
        attn_weights = attn_weights + self._prepare_decoder_attention_mask(tgt_len, past, attn_weights)
        attn_probs = attn_weights.softmax(dim=-1)
        attn_output = (attn_probs @ new.value_cache).transpose(1, 2).reshape(bsz, tgt_len, self.embed_dim)
        return self.out_proj(attn_output), new
