from __future__ import annotations

import itertools

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PADDING = 0


class MiniGPT(nn.Module):
    """Blocks are plain ModuleDicts; what they do is written in methods of the model."""

    def __init__(
        self,
        vocab_size: int,
        block_size: int,
        hidden_dim: int,
        num_heads: int,
        num_layers: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.num_heads = num_heads
        self.dropout = nn.Dropout(dropout)
        self.tokens = nn.Embedding(vocab_size, hidden_dim)
        nn.init.normal_(self.tokens.weight, std=0.02)
        self.places = nn.Parameter(torch.randn(block_size, hidden_dim) * 0.02)
        self.blocks = nn.ModuleList(self.make_block(hidden_dim) for _ in range(num_layers))
        self.final = nn.LayerNorm(hidden_dim)

    @staticmethod
    def make_block(width: int) -> nn.ModuleDict:
        linear = {name: nn.Linear(width, width) for name in ("q", "k", "v", "o")}
        mlp = {"up": nn.Linear(width, 4 * width), "down": nn.Linear(4 * width, width)}
        return nn.ModuleDict({"norm_1": nn.LayerNorm(width), "norm_2": nn.LayerNorm(width), **linear, **mlp})

    def attend(self, block: nn.ModuleDict, u: Tensor) -> Tensor:
        n = u.shape[1]
        q, k, v = (block[name](u).unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for name in "qkv")
        scores = q @ k.mT * q.shape[-1] ** -0.5
        ahead = torch.ones(n, n, dtype=torch.bool, device=u.device).triu(1)
        weights = self.dropout(scores.masked_fill(ahead, float("-inf")).softmax(dim=-1))
        return block["o"]((weights @ v).transpose(1, 2).flatten(2))

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.dropout(self.tokens(tokens) + self.places[: tokens.shape[1]])
        for block in self.blocks:
            x = x + self.dropout(self.attend(block, block["norm_1"](x)))
            x = x + self.dropout(block["down"](F.gelu(block["up"](block["norm_2"](x)))))
        return F.linear(self.final(x), self.tokens.weight)


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    guesses, labels = logits[:, :-1], tokens[:, 1:]
    counts = labels != PADDING
    picked = guesses.log_softmax(dim=-1).gather(-1, labels.unsqueeze(-1)).squeeze(-1)
    return -picked[counts].mean()


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    losses = []
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * (1 - step / steps)
        optimizer.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return torch.softmax(logits[:, -1] / temperature, dim=-1)


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    for _ in itertools.repeat(None, count):
        logits = model(tokens[:, -model.block_size :])
        if temperature == 0:
            following = logits[:, -1:].argmax(dim=-1)
        else:
            following = torch.multinomial(next_token_probabilities(logits, temperature), 1)
        tokens = torch.cat((tokens, following), dim=1)
    return tokens
