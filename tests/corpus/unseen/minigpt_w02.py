# attn-kata: minigpt
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PADDING = 0


class SelfAttention(nn.Module):
    """Causal multi-head self-attention. (B, T, C) -> (B, T, C)"""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0, "hidden_dim must be divisible by num_heads"
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.in_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, hidden_dim = x.shape
        qkv = self.in_proj(x).view(batch, length, 3, self.num_heads, self.head_dim)
        query, key, value = qkv.permute(2, 0, 3, 1, 4)  # each (B, H, T, D)
        scores = query @ key.transpose(-2, -1) / math.sqrt(self.head_dim)
        keep = torch.tril(torch.ones(length, length, dtype=torch.bool, device=x.device))
        weights = scores.masked_fill(~keep, float("-inf")).softmax(dim=-1)
        context = self.dropout(weights) @ value
        return self.out_proj(context.transpose(1, 2).reshape(batch, length, hidden_dim))


class FeedForward(nn.Module):
    """Position-wise MLP. (B, T, C) -> (B, T, C)"""

    def __init__(self, hidden_dim: int, dropout: float) -> None:
        super().__init__()
        self.up = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.down = nn.Linear(4 * hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        return self.dropout(self.down(F.gelu(self.up(x))))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(hidden_dim)
        self.attention = SelfAttention(hidden_dim, num_heads, dropout)
        self.feed_forward_norm = nn.LayerNorm(hidden_dim)
        self.feed_forward = FeedForward(hidden_dim, dropout)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.feed_forward_norm(x))


class MiniGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        dropout: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.block_size = block_size
        self.token_embedding = nn.Embedding(vocab_size, hidden_dim)
        self.position_embedding = nn.Embedding(block_size, hidden_dim)
        self.embedding_dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(
            [TransformerBlock(hidden_dim, num_heads, dropout) for _ in range(num_layers)]
        )
        self.final_norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor) -> Tensor:
        length = tokens.shape[1]
        assert length <= self.block_size, "sequence longer than block_size"
        positions = torch.arange(length, device=tokens.device)
        x = self.embedding_dropout(self.token_embedding(tokens) + self.position_embedding(positions))
        for block in self.blocks:
            x = block(x)
        return self.final_norm(x) @ self.token_embedding.weight.t()


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    predictions = logits[:, :-1, :].reshape(-1, logits.shape[-1])
    targets = tokens[:, 1:].reshape(-1)
    return F.cross_entropy(predictions, targets, ignore_index=PADDING)


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    assert steps >= 0, "steps must not be negative"
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    losses: list[float] = []
    for step in range(steps):
        optimizer.zero_grad(set_to_none=True)
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
        losses.append(loss.item())
        # linear decay
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * (1.0 - step / steps)
    return losses


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    assert temperature > 0, "temperature must be positive"
    return torch.softmax(logits[:, -1, :] / temperature, dim=-1)


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    generated = tokens
    for _ in range(count):
        context = generated[:, -model.block_size :]
        logits = model(context)
        if temperature == 0.0:
            next_token = logits[:, -1, :].argmax(dim=-1, keepdim=True)
        else:
            next_token = torch.multinomial(next_token_probabilities(logits, temperature), num_samples=1)
        generated = torch.cat([generated, next_token], dim=1)
    return generated
