from __future__ import annotations

import torch
from torch import Tensor, nn


class Hidden:
    """Collects what hides keys; answers with bools and, apart from them, with what is added."""

    def __init__(self, batch: int, heads: int) -> None:
        self.batch, self.heads = batch, heads
        self.never: Tensor | None = None
        self.extra: Tensor | None = None

    def padding(self, mask: Tensor | None) -> Hidden:
        if mask is not None:
            self._hide(mask.to(torch.bool)[:, None, None, :])
        return self

    def pairs(self, mask: Tensor | None) -> Hidden:
        if mask is None:
            return self
        if mask.dim() == 3:
            mask = mask.unflatten(0, (self.batch, self.heads))
        if mask.dtype == torch.bool:
            self._hide(mask)
        else:
            self.extra = mask
        return self

    def _hide(self, more: Tensor) -> None:
        self.never = more if self.never is None else self.never | more

    def softmax(self, scores: Tensor) -> Tensor:
        if self.extra is not None:
            scores = scores + self.extra
        if self.never is not None:
            scores = scores.masked_fill(self.never, -torch.inf)
        blind = (scores == -torch.inf).all(-1, keepdim=True)
        return scores.masked_fill(blind, 0.0).softmax(-1).masked_fill(blind, 0.0)


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.num_heads = num_heads
        d = embed_dim // num_heads
        one_each = lambda: nn.ModuleList(nn.Linear(embed_dim, d, bias=bias) for _ in range(num_heads))  # noqa: E731
        self.query_layers, self.key_layers, self.value_layers = one_each(), one_each(), one_each()
        self.output_layer = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.drop = nn.Dropout(dropout)

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
        hidden = Hidden(query.size(0), self.num_heads).padding(key_padding_mask).pairs(attn_mask)
        q = torch.stack([layer(query) for layer in self.query_layers], dim=1)
        k = torch.stack([layer(key) for layer in self.key_layers], dim=1)
        v = torch.stack([layer(value) for layer in self.value_layers], dim=1)
        weights = self.drop(hidden.softmax(q @ k.mT / q.size(-1) ** 0.5))
        output = self.output_layer(torch.cat((weights @ v).unbind(1), dim=-1))
        shown = None
        if need_weights:
            shown = weights.mean(1) if average_attn_weights else weights
        return output, shown
