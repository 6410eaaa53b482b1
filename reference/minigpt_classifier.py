"""A classifier of texts on the body of a small GPT (Radford et al. 2018, section 3.2)."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Block(nn.Module):
    """Self-attention under a mask and an MLP, each behind a norm and beside a residual."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.attention_norm = nn.LayerNorm(hidden_dim)
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)
        self.mlp_norm = nn.LayerNorm(hidden_dim)
        self.up_proj = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.down_proj = nn.Linear(4 * hidden_dim, hidden_dim)

    def forward(self, x: Tensor, seen: Tensor) -> Tensor:
        batch, length, hidden_dim = x.shape
        attention_input = self.attention_norm(x)  # (batch, length, hidden_dim)
        queries = self.query_proj(attention_input)  # (batch, length, hidden_dim)
        keys = self.key_proj(attention_input)  # (batch, length, hidden_dim)
        values = self.value_proj(attention_input)  # (batch, length, hidden_dim)
        split = (batch, length, self.num_heads, self.head_dim)
        query = queries.view(split).transpose(1, 2)  # (batch, heads, length, head_dim)
        key = keys.view(split).transpose(1, 2)  # (batch, heads, length, head_dim)
        value = values.view(split).transpose(1, 2)  # (batch, heads, length, head_dim)
        products = query @ key.mT  # (batch, heads, length, length)
        scores = products / math.sqrt(self.head_dim)  # (batch, heads, length, length)
        # Padding before a text sees nothing at all: with -inf its softmax would be NaN.
        lowest = torch.finfo(scores.dtype).min
        masked_scores = scores.masked_fill(seen == 0, lowest)  # (batch, heads, length, length)
        weights = masked_scores.softmax(dim=-1)  # (batch, heads, length, length)
        context = weights @ value  # (batch, heads, length, head_dim)
        by_position = context.transpose(1, 2)  # (batch, length, heads, head_dim)
        merged = by_position.reshape(batch, length, hidden_dim)  # (batch, length, hidden_dim)
        attention_output = self.output_proj(merged)  # (batch, length, hidden_dim)
        attended = x + attention_output  # (batch, length, hidden_dim)
        mlp_input = self.mlp_norm(attended)  # (batch, length, hidden_dim)
        expanded = self.up_proj(mlp_input)  # (batch, length, mlp_dim)
        activated = F.gelu(expanded)  # (batch, length, mlp_dim)
        mlp_output = self.down_proj(activated)  # (batch, length, hidden_dim)
        block_output = attended + mlp_output  # (batch, length, hidden_dim)
        return block_output


class GPT(nn.Module):
    """The body of a GPT: what its head reads, (batch, length, hidden_dim), after the final norm.

    tokens is (batch, length). places, (batch, length), says which row of the position table each
    token gets; None counts from 0. allowed is 1/True where a query may attend to a key, any shape
    that broadcasts to (batch, heads, length, length); what comes later is hidden in any case.
    """

    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, hidden_dim)
        self.position_embedding = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList(Block(hidden_dim, num_heads) for _ in range(num_layers))
        self.final_norm = nn.LayerNorm(hidden_dim)

    def forward(
        self, tokens: Tensor, places: Tensor | None = None, allowed: Tensor | None = None
    ) -> Tensor:
        length = tokens.shape[1]
        rows = torch.arange(length, device=tokens.device) if places is None else places
        token_vectors = self.token_embedding(tokens)  # (batch, length, hidden_dim)
        position_vectors = self.position_embedding(rows)
        embedded = token_vectors + position_vectors  # (batch, length, hidden_dim)
        square = torch.ones(length, length, device=tokens.device)  # (length, length)
        past = square.tril()  # (length, length)
        seen = past if allowed is None else past * allowed
        stream = embedded
        for block in self.blocks:
            stream = block(stream, seen)
        final = self.final_norm(stream)  # (batch, length, hidden_dim)
        return final


class GPTClassifier(nn.Module):
    """Class logits of texts: a GPT's outputs, averaged over each text's real tokens, and a head.

    tokens and mask are (batch, length), the mask 1/True where a token is real; each text has one
    at least. Returns (batch, num_classes), which no padding changes, wherever it stands.
    """

    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        num_classes: int,
    ) -> None:  # fmt: skip
        super().__init__()
        self.body = GPT(vocab_size, block_size, hidden_dim, num_heads, num_layers)
        self.head = nn.Linear(hidden_dim, num_classes)

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        real = mask != 0  # (batch, length)
        counted = real.cumsum(dim=1)  # (batch, length)
        # The first real token has place 0; padding gets some row of the table, which nobody reads.
        places = (counted - 1).clamp(min=0)  # (batch, length)
        allowed = real[:, None, None, :]  # (batch, 1, 1, length)
        hidden = self.body(tokens, places, allowed)  # (batch, length, hidden_dim)
        kept = hidden * real.unsqueeze(-1)  # (batch, length, hidden_dim)
        total = kept.sum(dim=1)  # (batch, hidden_dim)
        count = real.sum(dim=1, keepdim=True)  # (batch, 1)
        pooled = total / count  # (batch, hidden_dim)
        logits = self.head(pooled)  # (batch, num_classes)
        return logits
