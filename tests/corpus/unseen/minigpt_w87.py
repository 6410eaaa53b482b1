import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PADDING = 0


class Block(nn.Module):
    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2)
                   for t in self.qkv(self.norm_1(x)).chunk(3, dim=-1))
        scores = q @ k.mT / math.sqrt(q.size(-1))
        later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device).triu(1)
        weights = scores.masked_fill(later, -math.inf).softmax(dim=-1)
        x = x + self.drop(self.out((weights @ v).transpose(1, 2).flatten(2)))
        return x + self.drop(self.mlp(self.norm_2(x)))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int,
                 num_layers: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.block_size = block_size
        self.token = nn.Embedding(vocab_size, hidden_dim)
        self.place = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList(Block(hidden_dim, num_heads, dropout) for _ in range(num_layers))
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.token(tokens) + self.place.weight[: tokens.size(1)]
        for block in self.blocks:
            x = block(x)
        return self.norm(x) @ self.token.weight.T


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=PADDING)


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    losses = []
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * (1 - step / steps)
        loss = next_token_loss(model(tokens), tokens)
        losses.append(loss.item())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    return losses


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return (logits[:, -1] / temperature).softmax(dim=-1)


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    for _ in range(count):
        logits = model(tokens[:, -model.block_size :])
        if temperature == 0:
            following = logits[:, -1].argmax(dim=-1, keepdim=True)
        else:
            following = torch.multinomial(next_token_probabilities(logits, temperature), 1)
        tokens = torch.cat([tokens, following], dim=1)
    return tokens
