"""MiniGPT, functional: the blocks are dictionaries of layers, the forward pass is a fold over them."""
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

PADDING = 0


def causal_attention(layer: nn.ModuleDict, h: torch.Tensor, heads: int) -> torch.Tensor:
    b, t, c = h.shape
    q, k, v = layer["qkv"](h).view(b, t, 3, heads, c // heads).permute(2, 0, 3, 1, 4).unbind(0)
    logits = q @ k.transpose(-1, -2) * (c // heads) ** -0.5
    here = torch.arange(t, device=h.device)
    logits = logits.masked_fill(here[None, :] > here[:, None], float("-inf"))
    return layer["merge"]((logits.softmax(-1) @ v).transpose(1, 2).reshape(b, t, c))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.num_heads = num_heads
        self.words = nn.Embedding(vocab_size, hidden_dim)
        self.places = nn.Embedding(block_size, hidden_dim)
        nn.init.normal_(self.words.weight, std=0.02)
        nn.init.normal_(self.places.weight, std=0.02)
        self.drop = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            nn.ModuleDict(
                {
                    "norm_a": nn.LayerNorm(hidden_dim),
                    "qkv": nn.Linear(hidden_dim, 3 * hidden_dim),
                    "merge": nn.Linear(hidden_dim, hidden_dim),
                    "norm_m": nn.LayerNorm(hidden_dim),
                    "up": nn.Linear(hidden_dim, 4 * hidden_dim),
                    "down": nn.Linear(4 * hidden_dim, hidden_dim),
                }
            )
            for _ in range(num_layers)
        )
        self.last = nn.LayerNorm(hidden_dim)

    def forward(self, tokens):
        h = self.words(tokens) + self.places.weight[: tokens.size(1)]
        h = self.drop(h)
        for layer in self.layers:
            h = h + self.drop(causal_attention(layer, layer["norm_a"](h), self.num_heads))
            h = h + self.drop(layer["down"](F.gelu(layer["up"](layer["norm_m"](h)))))
        return F.linear(self.last(h), self.words.weight)


def next_token_loss(logits, tokens):
    guesses = logits[:, :-1].flatten(0, 1)
    truth = tokens[:, 1:].flatten()
    return F.cross_entropy(guesses, truth.long(), ignore_index=PADDING)


def train(model, tokens, steps, learning_rate):
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    history = []
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * (1 - step / steps)
        optimizer.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
        history.append(loss.item())
    return history


def next_token_probabilities(logits, temperature):
    return torch.softmax(logits[:, -1] / temperature, dim=-1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    text = tokens
    for _ in range(count):
        logits = model(text[:, -model.block_size :])
        if temperature == 0:
            choice = logits[:, -1].argmax(dim=-1, keepdim=True)
        else:
            choice = torch.multinomial(next_token_probabilities(logits, temperature), 1)
        text = torch.cat([text, choice.to(text.dtype)], dim=1)
    return text
