from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple, Optional

import torch
from torch import Tensor, nn


class Report(Enum):
    NOTHING = auto()
    MEAN = auto()
    EACH = auto()

    @classmethod
    def of(cls, need: bool, average: bool) -> Report:
        return cls.NOTHING if not need else cls.MEAN if average else cls.EACH


class Result(NamedTuple):
    output: Tensor
    weights: Optional[Tensor]


class Head(nn.Module):
    """Stored as input × output, and its rows of the way back with it."""

    def __init__(self, wide: int, narrow: int, bias: bool) -> None:
        super().__init__()
        self.ask, self.offer, self.tell = (nn.Parameter(torch.randn(wide, narrow) * wide**-0.5) for _ in range(3))
        self.back = nn.Parameter(torch.randn(narrow, wide) * wide**-0.5)
        self.shift = nn.ParameterList(torch.zeros(narrow) for _ in range(3)) if bias else (0, 0, 0)

    def weigh(self, query: Tensor, key: Tensor) -> Tensor:
        q, k = query @ self.ask + self.shift[0], key @ self.offer + self.shift[1]
        return torch.einsum("btd,bsd->bts", q, k) / q.shape[-1] ** 0.5

    def speak(self, weights: Tensor, value: Tensor) -> Tensor:
        return weights @ (value @ self.tell + self.shift[2]) @ self.back


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        narrow, rest = divmod(embed_dim, num_heads)
        assert not rest, f"{embed_dim=} is no multiple of {num_heads=}"
        self.heads = nn.ModuleList(Head(embed_dim, narrow, bias) for _ in range(num_heads))
        self.end = nn.Parameter(torch.zeros(embed_dim)) if bias else 0
        self.drop = nn.Dropout(dropout)

    def hide(self, s: Tensor, h: int, padding: Tensor | None, attn_mask: Tensor | None) -> Tensor:
        match attn_mask:
            case Tensor(ndim=3):
                attn_mask = attn_mask[h :: len(self.heads)]         # this head's entries, sample by sample
            case _:
                pass
        if attn_mask is not None and attn_mask.dtype is torch.bool:
            s = s.masked_fill(attn_mask, -torch.inf)
        elif attn_mask is not None:
            s = s + attn_mask
        return s if padding is None else s.masked_fill(padding[:, None, :], -torch.inf)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None = None,
        need_weights: bool = True, attn_mask: Tensor | None = None, average_attn_weights: bool = True,
    ) -> Result:
        output, kept = self.end, []
        for h, head in enumerate(self.heads):
            s = self.hide(head.weigh(query, key), h, key_padding_mask, attn_mask)
            e = torch.exp(s - s.amax(-1, keepdim=True).detach())
            w = e / e.sum(-1, keepdim=True)
            output = output + head.speak(self.drop(w), value)
            kept.append(w)
        match Report.of(need_weights, average_attn_weights):
            case Report.NOTHING:
                return Result(output, None)
            case Report.MEAN:
                return Result(output, sum(kept) / len(kept))
            case Report.EACH:
                return Result(output, torch.stack(kept, 1))
