# Kaldi-ish component with a config, mask added as log(mask)
from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor, nn


@dataclass
class AttentionOpts:
    dim: int
    dropout_proportion: float = 0.1
    bias: bool = True
    scale: float = field(init=False)

    def __post_init__(self) -> None:
        self.scale = 1.0 / self.dim**0.5


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.opts = AttentionOpts(hidden_dim, dropout)
        self.affine_kv = nn.Linear(hidden_dim, 2 * hidden_dim, bias=self.opts.bias)
        self.affine_q = nn.Linear(hidden_dim, hidden_dim, bias=self.opts.bias)
        self.affine_out = nn.Linear(hidden_dim, hidden_dim, bias=self.opts.bias)

    @staticmethod
    def log_mask(mask: Tensor, like: Tensor) -> Tensor:
        # log 1 = 0 changes nothing, log 0 = -inf hides
        return (mask != 0).to(like.dtype).log()

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        key, value = self.affine_kv(x).chunk(2, dim=-1)
        loglikes = torch.bmm(self.affine_q(x) * self.opts.scale, key.mT)
        if attention_mask is not None:
            loglikes = loglikes + self.log_mask(attention_mask, loglikes)
        post = loglikes.softmax(dim=-1)
        post = nn.functional.dropout(post, self.opts.dropout_proportion, self.training)
        return self.affine_out(torch.bmm(post, value))
