from __future__ import annotations

import typing as t
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Config:
    embed_dim: int
    num_heads: int
    dropout: float = 0.0
    bias: bool = True

    @property
    def head_dim(self) -> int:
        return self.embed_dim // self.num_heads


class MaskMixin:
    """Everything that is hidden or added, as one number for each score."""

    cfg: Config

    def combine(self, scores: Tensor, padding: Tensor | None, mask: Tensor | None) -> Tensor:
        # scores: (batch, heads, target, source)
        if mask is not None:
            mask = mask.unflatten(0, (-1, self.cfg.num_heads)) if mask.ndim == 3 else mask
            scores = scores.masked_fill(mask, float("-inf")) if mask.dtype == torch.bool else scores + mask
        if padding is not None:
            scores = torch.where(padding[:, None, None], float("-inf"), scores)
        return scores


class Result(t.NamedTuple):
    output: Tensor
    weights: t.Optional[Tensor]


class MultiheadAttention(MaskMixin, nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.cfg = Config(embed_dim, num_heads, dropout, bias)
        assert self.cfg.head_dim * num_heads == embed_dim
        # stored transposed, (3, in, out), as Flax keeps a kernel
        self.in_proj_weight = nn.Parameter(torch.empty(3, embed_dim, embed_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3, 1, embed_dim)) if bias else None
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        for w in self.in_proj_weight:
            nn.init.xavier_uniform_(w)
        self.drop = nn.Dropout(dropout) if dropout else nn.Identity()

    def _project(self, i: int, x: Tensor) -> Tensor:
        """(batch, length, embed) -> (batch, heads, length, head_dim)"""
        flat = x.reshape(-1, self.cfg.embed_dim)
        if self.in_proj_bias is None:
            y = torch.mm(flat, self.in_proj_weight[i])
        else:
            y = torch.addmm(self.in_proj_bias[i], flat, self.in_proj_weight[i])
        return y.view(x.shape[0], x.shape[1], self.cfg.num_heads, -1).permute(0, 2, 1, 3)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
    ) -> Result:
        q, k, v = (self._project(i, x) for i, x in enumerate((query, key, value)))
        scores = torch.einsum("nhtd,nhsd->nhts", q * self.cfg.head_dim**-0.5, k)
        weights = self.combine(scores, key_padding_mask, attn_mask).softmax(dim=-1)
        heads = torch.einsum("nhts,nhsd->nthd", self.drop(weights), v)
        output = self.out_proj(heads.flatten(-2))
        if need_weights and average_attn_weights:
            weights = weights.mean(dim=1)
        return Result(output, weights if need_weights else None)
