# wrong: minigpt gradient-not-clipped line 124
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PADDING = 0


class Head(nn.Module):
    """One head of causal self-attention."""

    def __init__(self, hidden_dim: int, head_size: int, block_size: int) -> None:
        super().__init__()
        self.key = nn.Linear(hidden_dim, head_size, bias=False)
        self.query = nn.Linear(hidden_dim, head_size, bias=False)
        self.value = nn.Linear(hidden_dim, head_size, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)).bool())

    def forward(self, x: Tensor) -> Tensor:
        T = x.shape[1]
        # compute the affinities between the positions
        wei = self.query(x) @ self.key(x).transpose(-2, -1)
        wei = wei / math.sqrt(self.key.out_features)
        # no position may look into the future
        wei = wei.masked_fill(~self.tril[:T, :T], float("-inf"))
        wei = F.softmax(wei, dim=-1)
        return wei @ self.value(x)


class MultiHead(nn.Module):
    """Several heads side by side, then one projection."""

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        head_size = hidden_dim // num_heads
        self.heads = nn.ModuleList(
            [Head(hidden_dim, head_size, block_size) for _ in range(num_heads)]
        )
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        out = torch.cat([head(x) for head in self.heads], dim=-1)
        return self.proj(out)


class FeedForward(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(hidden_dim, 4 * hidden_dim), nn.GELU(), nn.Linear(4 * hidden_dim, hidden_dim)
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.net(x)


class Block(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        self.sa = MultiHead(hidden_dim, num_heads, block_size)
        self.ffwd = FeedForward(hidden_dim)
        self.ln1 = nn.LayerNorm(hidden_dim)
        self.ln2 = nn.LayerNorm(hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.sa(self.ln1(x))
        x = x + self.ffwd(self.ln2(x))
        return x


class MiniGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        dropout: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.block_size = block_size
        self.token_embedding_table = nn.Embedding(vocab_size, hidden_dim)
        self.position_embedding_table = nn.Embedding(block_size, hidden_dim)
        self.drop = nn.Dropout(dropout)
        self.blocks = nn.Sequential(
            *[Block(hidden_dim, num_heads, block_size) for _ in range(num_layers)]
        )
        self.ln_f = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor) -> Tensor:
        T = tokens.shape[1]
        tok_emb = self.token_embedding_table(tokens)  # (B, T, C)
        pos_emb = self.position_embedding_table(torch.arange(T, device=tokens.device))  # (T, C)
        x = self.drop(tok_emb + pos_emb)
        x = self.blocks(x)
        x = self.ln_f(x)
        return x @ self.token_embedding_table.weight.T


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    # the guess at t is compared with the token at t + 1
    guesses = logits[:, :-1, :]
    targets = tokens[:, 1:]
    B, T, C = guesses.shape
    return F.cross_entropy(
        guesses.reshape(B * T, C), targets.reshape(B * T), ignore_index=PADDING
    )


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    losses = []
    for step in range(steps):
        # linear decay of the learning rate
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * (1 - step / steps)

        optimizer.zero_grad(set_to_none=True)
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        # keep the gradients from exploding
        for parameter in model.parameters():
            torch.nn.utils.clip_grad_norm_(parameter, 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    last = logits[:, -1, :]
    return F.softmax(last / temperature, dim=-1)


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    text = tokens
    for _ in range(count):
        # crop to what the position table can hold
        context = text[:, -model.block_size:]
        logits = model(context)
        if temperature == 0.0:
            next_token = torch.argmax(logits[:, -1, :], dim=-1, keepdim=True)
        else:
            probs = next_token_probabilities(logits, temperature)
            next_token = torch.multinomial(probs, num_samples=1)
        text = torch.cat([text, next_token], dim=1)
    return text
