from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Block(nn.Module):
    """Self-attention under a mask and an MLP. It is given: leave it as it is."""

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
        attention_input = self.attention_norm(x)
        queries = self.query_proj(attention_input)
        keys = self.key_proj(attention_input)
        values = self.value_proj(attention_input)
        split = (batch, length, self.num_heads, self.head_dim)
        query = queries.view(split).transpose(1, 2)
        key = keys.view(split).transpose(1, 2)
        value = values.view(split).transpose(1, 2)
        products = query @ key.mT
        scores = products / math.sqrt(self.head_dim)
        # Padding before a text sees nothing at all: with -inf its softmax would be NaN.
        lowest = torch.finfo(scores.dtype).min
        masked_scores = scores.masked_fill(seen == 0, lowest)
        weights = masked_scores.softmax(dim=-1)
        context = weights @ value
        by_position = context.transpose(1, 2)
        merged = by_position.reshape(batch, length, hidden_dim)
        attention_output = self.output_proj(merged)
        attended = x + attention_output
        mlp_input = self.mlp_norm(attended)
        expanded = self.up_proj(mlp_input)
        activated = F.gelu(expanded)
        mlp_output = self.down_proj(activated)
        block_output = attended + mlp_output
        return block_output


class GPT(nn.Module):
    """The body of a GPT. It is given: leave it as it is.

    tokens   (batch, length)
    places   (batch, length), the row of the position table for each token; None counts from 0
    allowed  1/True where a query may attend to a key, None for everywhere; any shape that
             broadcasts to (batch, heads, length, length). What comes later is hidden in any case
    returns  what a head reads, behind the final norm, (batch, length, hidden_dim)
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
        token_vectors = self.token_embedding(tokens)
        position_vectors = self.position_embedding(rows)
        embedded = token_vectors + position_vectors
        square = torch.ones(length, length, device=tokens.device)
        past = square.tril()
        seen = past if allowed is None else past * allowed
        stream = embedded
        for block in self.blocks:
            stream = block(stream, seen)
        final = self.final_norm(stream)
        return final


class GPTClassifier(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        num_classes: int,
    ) -> None:  # fmt: skip
        super().__init__()
        self.body = GPT(vocab_size, block_size, hidden_dim, num_heads, num_layers)
        self.head = nn.Linear(hidden_dim, num_classes)

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        m = (mask != 0).long()  # m_bt in {0, 1}
        b, n = m.shape

        # clock of each text: starts at its first real token
        t = torch.arange(n, device=tokens.device)
        t0 = m.argmax(dim=1, keepdim=True)
        places = (t - t0).clamp(min=0)

        h = self.body(tokens, places, m.view(b, 1, 1, n))
        w = m.to(h.dtype)
        w = w / w.sum(dim=1, keepdim=True)
        mean = torch.einsum("bt,btc->bc", w, h)
        return self.head(mean)
