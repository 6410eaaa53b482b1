# attn-kata: minigpt
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PADDING = 0


class MiniGPT(nn.Module):
    """A small GPT: embeddings, pre-norm blocks, a final norm, and the token table as head.

    tokens   (batch, length), integers below vocab_size; length is at most block_size
    returns  logits, (batch, length, vocab_size)

    Token vectors and learned position vectors are added. Each of num_layers blocks is

        attended = x + attention(norm_1(x))      causal, num_heads heads, output projection
        output   = attended + mlp(norm_2(attended))      4 * hidden_dim wide, exact GELU

    Norms are LayerNorms with eps 1e-5. The head is the token table once more, without a bias.
    Dropout is not asked for; where there is some, it is on embeddings, weights or branches.
    The model has an attribute block_size.
    """

    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        dropout: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, tokens: Tensor) -> Tensor:
        raise NotImplementedError("write me")


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    """Return the mean cross-entropy of each position's guess at the next token.

    logits   (batch, length, vocab_size)
    tokens   (batch, length), what the logits were made from; PADDING fills up shorter rows
    returns  a scalar; padding that would have to be guessed does not count
    """
    raise NotImplementedError("write me")


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    """Train the model on one batch, and return the loss of each step, before it is taken.

    tokens         (batch, length)
    learning_rate  of the first step; it falls in a line, step k has (1 - k / steps) of it

    In train mode. AdamW with torch's defaults, gradients clipped to a norm of 1 all together.
    """
    raise NotImplementedError("write me")


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    """Return how likely each token is to come next, (batch, vocab_size).

    logits       (batch, length, vocab_size)
    temperature  above 0; the higher, the flatter
    """
    raise NotImplementedError("write me")


def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    """Return the tokens with `count` more behind them, (batch, length + count).

    tokens       (batch, length), without padding
    temperature  0 takes the likeliest token each time; else one is drawn

    In eval mode. The model sees no more than its last model.block_size tokens.
    """
    raise NotImplementedError("write me")
