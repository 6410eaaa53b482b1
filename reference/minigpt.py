"""A small GPT, its loss, its training and its text (Radford et al. 2019; Press & Wolf 2017)."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

# The token that fills up the shorter rows of a batch.
PADDING = 0
LONGEST_GRADIENT = 1.0


class Block(nn.Module):
    """Causal self-attention and an MLP, each behind a norm and beside a residual."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        mlp_dim = 4 * hidden_dim
        self.attention_norm = nn.LayerNorm(hidden_dim)
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)
        self.mlp_norm = nn.LayerNorm(hidden_dim)
        self.up_proj = nn.Linear(hidden_dim, mlp_dim)
        self.down_proj = nn.Linear(mlp_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
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
        seen = scores.new_ones(length, length).tril()  # (length, length)
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


class MiniGPT(nn.Module):
    """A pre-norm GPT whose head is its token table.

    tokens is (batch, length), integers below vocab_size, length at most block_size; returns
    logits (batch, length, vocab_size). hidden_dim is a multiple of num_heads.
    """

    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        dropout: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.block_size = block_size
        self.token_embedding = nn.Embedding(vocab_size, hidden_dim)
        self.position_embedding = nn.Embedding(block_size, hidden_dim)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(Block(hidden_dim, num_heads) for _ in range(num_layers))
        self.final_norm = nn.LayerNorm(hidden_dim)
        # The token table makes logits as well: at its usual scale they would be far too large.
        nn.init.normal_(self.token_embedding.weight, std=0.02)
        nn.init.normal_(self.position_embedding.weight, std=0.02)

    def forward(self, tokens: Tensor) -> Tensor:
        places = torch.arange(tokens.shape[1], device=tokens.device)  # (length)
        token_vectors = self.token_embedding(tokens)  # (batch, length, hidden_dim)
        position_vectors = self.position_embedding(places)  # (length, hidden_dim)
        embedded = token_vectors + position_vectors  # (batch, length, hidden_dim)
        opening = self.dropout(embedded)  # (batch, length, hidden_dim)
        stream = opening
        for block in self.blocks:
            stream = block(stream)
        final = self.final_norm(stream)  # (batch, length, hidden_dim)
        logits = F.linear(final, self.token_embedding.weight)  # (batch, length, vocab_size)
        return logits


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    """Return the mean cross-entropy of each position's guess at the next token, without padding.

    logits is (batch, length, vocab_size), tokens (batch, length); returns a scalar.
    """
    guessed = logits[:, :-1].flatten(0, 1)
    wanted = tokens[:, 1:].flatten()
    loss = F.cross_entropy(guessed, wanted, ignore_index=PADDING)
    return loss


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    """Train on one batch with AdamW, at a rate that falls in a line to 0; return each step's loss.

    tokens is (batch, length). Gradients are clipped to a norm of 1.
    """
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    losses: list[float] = []
    for _ in range(steps):
        optimizer.zero_grad()
        guess = model(tokens)
        step_loss = next_token_loss(guess, tokens)
        step_loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), LONGEST_GRADIENT)
        optimizer.step()
        schedule.step()
        losses.append(step_loss.item())
    return losses


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    """Return how likely each token is to come next.

    logits is (batch, length, vocab_size); returns (batch, vocab_size). temperature is above 0.
    """
    last_logits = logits[:, -1]  # (batch, vocab_size)
    tempered = last_logits / temperature  # (batch, vocab_size)
    probabilities = tempered.softmax(dim=-1)  # (batch, vocab_size)
    return probabilities


@torch.no_grad()
def generate(model: MiniGPT, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    """Return the tokens, (batch, length), with `count` more; the likeliest at temperature 0.

    The model has a `block_size` and sees no more than that many tokens, the last ones.
    """
    model.eval()
    text = tokens
    for _ in range(count):
        window = text[:, -model.block_size :]
        answer = model(window)
        if temperature == 0:
            newest = answer[:, -1].argmax(dim=-1, keepdim=True)
        else:
            likely = next_token_probabilities(answer, temperature)
            newest = torch.multinomial(likely, 1)
        text = torch.cat([text, newest], dim=1)
    return text
