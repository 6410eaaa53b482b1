# wrong: minigpt-cache cache-recomputed line 61
"""The cache holds tokens: all of them go through the model again."""

import math

import torch
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.output = nn.Linear(width, width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def attend(self, x):
        b, t, e = x.shape
        q = self.query(x).view(b, t, self.heads, -1).transpose(1, 2)
        k = self.key(x).view(b, t, self.heads, -1).transpose(1, 2)
        v = self.value(x).view(b, t, self.heads, -1).transpose(1, 2)
        s = q @ k.transpose(2, 3) / math.sqrt(e // self.heads)
        s = s.masked_fill(torch.ones(t, t, device=x.device).triu(1).bool(), float("-inf"))
        return self.output((s.softmax(-1) @ v).transpose(1, 2).reshape(b, t, e))

    def forward(self, x):
        x = x + self.attend(self.norm1(x))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Cache:
    def __init__(self, tokens=None):
        self.tokens = tokens

    def plus(self, more):
        if self.tokens is None:
            return Cache(more)
        return Cache(torch.cat([self.tokens, more], dim=1))


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.token_embedding = nn.Embedding(vocab_size, hidden_dim)
        self.position_embedding = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList([Block(hidden_dim, num_heads) for _ in range(num_layers)])
        self.final_norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens, cache=None):
        new = tokens.shape[1]
        cache = (cache or Cache()).plus(tokens)
        known = cache.tokens
        places = torch.arange(known.shape[1], device=tokens.device)
        x = self.token_embedding(known)
        x = x + self.position_embedding(places)
        for block in self.blocks:
            x = block(x)
        x = self.final_norm(x)[:, -new:]
        return x @ self.token_embedding.weight.T, cache


@torch.no_grad()
def generate(model, tokens, count):
    model.eval()
    newest, cache = tokens, None
    for _ in range(count):
        logits, cache = model(newest, cache)
        newest = logits[:, -1].argmax(-1, keepdim=True)
        tokens = torch.cat([tokens, newest], dim=1)
    return tokens
