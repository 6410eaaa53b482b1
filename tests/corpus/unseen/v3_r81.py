from __future__ import annotations

import contextlib
import logging
import math

import torch
from torch import Tensor, nn

logger = logging.getLogger("attention")


@contextlib.contextmanager
def step(name: str):
    logger.debug("-> %s", name)
    try:
        yield
    finally:
        logger.debug("<- %s", name)


class SelfAttentionV3Old(nn.Module):
    """First draft, without mask and dropout. Kept for the ablation."""

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).chunk(3, -1)
        return torch.softmax(q @ k.mT / math.sqrt(q.size(-1)), -1) @ v


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)
        self.weight_dropout = nn.Dropout(dropout)
        self.root = math.sqrt(hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        with step("project"):
            query, key, value = self.query_proj(x), self.key_proj(x), self.value_proj(x)
        with step("score"):
            scores = query @ key.transpose(-2, -1) / self.root
        if attention_mask is not None:
            with step("mask"):
                hidden = attention_mask == 0  # 0 means: may not look there
                scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        with step("mix"):
            weights = self.weight_dropout(scores.softmax(dim=-1))
            context = weights @ value
        return self.output_proj(context)
