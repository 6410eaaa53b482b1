# right: minigpt
import math

import torch
import torch.nn.functional as F
from torch import nn


class Plus(nn.Sequential):
    def forward(self, x):
        return super().forward(x) + x


class Attend(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.maps = nn.ModuleDict(
            {
                name: nn.Sequential(nn.Linear(width, width, bias=False), nn.Identity())
                for name in ("query", "key", "value")
            }
        )
        self.mix = nn.Linear(width, width)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (
            layer(x).view(b, t, self.heads, -1).transpose(1, 2) for layer in self.maps.values()
        )
        s = q @ k.mT / math.sqrt(q.shape[-1])
        ahead = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1)
        y = s.masked_fill(ahead, float("-inf")).softmax(-1) @ v
        return self.mix(y.transpose(1, 2).reshape(b, t, c))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.tokens = nn.Embedding(vocab_size, hidden_dim)
        self.places = nn.Embedding(block_size, hidden_dim)
        halves = []
        for _ in range(num_layers):
            halves.append(
                Plus(nn.LayerNorm(hidden_dim), Attend(hidden_dim, num_heads), nn.Dropout(dropout))
            )
            wide, back = (
                nn.Linear(hidden_dim, 4 * hidden_dim),
                nn.Linear(4 * hidden_dim, hidden_dim),
            )
            mlp = nn.Sequential(wide, nn.GELU(), back)
            halves.append(Plus(nn.LayerNorm(hidden_dim), mlp, nn.Dropout(dropout)))
        self.halves = nn.Sequential(*halves)
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens):
        at = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.halves(self.tokens(tokens) + self.places(at))
        return self.norm(x) @ self.tokens.weight.T


def next_token_loss(logits, tokens):
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), tokens[:, 1:], ignore_index=0)


def train(model, tokens, steps, learning_rate):
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits, temperature):
    return (logits[:, -1] / temperature).softmax(-1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    for _ in range(count):
        logits = model(tokens[:, -model.block_size :])
        if temperature == 0:
            new = logits[:, -1].argmax(-1, keepdim=True)
        else:
            new = next_token_probabilities(logits, temperature).multinomial(1)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens
