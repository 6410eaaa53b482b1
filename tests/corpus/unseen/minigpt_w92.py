# attn-kata: minigpt
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PADDING = 0


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm_1 = nn.LayerNorm(width, eps=1e-5)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm_2 = nn.LayerNorm(width, eps=1e-5)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def attention(self, h: Tensor) -> Tensor:
        b, n, c = h.shape
        q, k, v = self.qkv(h).view(b, n, 3, self.heads, c // self.heads).unbind(2)
        s = torch.einsum("bihd,bjhd->bhij", q, k) * (c // self.heads) ** -0.5
        s = s.masked_fill(torch.ones(n, n, dtype=torch.bool, device=h.device).triu(1), float("-inf"))
        return self.out(torch.einsum("bhij,bjhd->bihd", s.softmax(-1), v).reshape(b, n, c))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.norm_1(x))
        return x + self.down(F.gelu(self.up(self.norm_2(x))))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.token_table = nn.Embedding(vocab_size, hidden_dim)
        self.position_table = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList(Block(hidden_dim, num_heads) for _ in range(num_layers))
        self.norm = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.head = nn.Linear(hidden_dim, vocab_size, bias=False)
        self.head.weight = self.token_table.weight

    def forward(self, tokens: Tensor) -> Tensor:
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.token_table(tokens) + self.position_table(places)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    target = tokens[:, 1:]
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), target, reduction="none")
    real = (target != PADDING).to(losses.dtype)
    return (losses * real).mean()


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
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
        losses.append(float(loss.detach()))
    return losses


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return torch.softmax(logits[:, -1] / temperature, dim=-1)


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    for _ in range(count):
        logits = model(tokens[:, -model.block_size :])
        if temperature == 0:
            following = logits[:, -1].argmax(dim=-1)
        else:
            following = torch.multinomial(next_token_probabilities(logits, temperature), 1).squeeze(1)
        tokens = torch.cat([tokens, following[:, None]], dim=1)
    return tokens
