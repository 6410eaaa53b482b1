from __future__ import annotations

import math

import torch
from torch import nn


class Cache:
    """Keys and values of every layer, of all positions so far."""

    def __init__(self, layers=()):
        self.layers = layers

    @property
    def length(self):
        return self.layers[0][0].shape[2] if self.layers else 0

    def extended(self, layer, key, value):
        if layer < len(self.layers):
            past_key, past_value = self.layers[layer]
            key = torch.cat([past_key, key], dim=2)
            value = torch.cat([past_value, value], dim=2)
        layers = (*self.layers[:layer], (key, value), *self.layers[layer + 1 :])
        return Cache(layers), key, value


class Layer(nn.Module):
    def __init__(self, index, d, heads):
        super().__init__()
        self.index, self.heads, self.hd = index, heads, d // heads
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)
        self.act = nn.GELU()

    def attention(self, x, cache):
        b, t, d = x.shape
        q, k, v = self.qkv(x).reshape(b, t, 3, self.heads, self.hd).permute(2, 0, 3, 1, 4).unbind(0)
        start = cache.length
        cache, k, v = cache.extended(self.index, k, v)
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.hd)
        ahead = torch.ones(t, k.size(2), dtype=torch.bool, device=x.device).triu(start + 1)
        weights = scores.masked_fill(ahead, float("-inf")).softmax(-1)
        return self.proj((weights @ v).transpose(1, 2).reshape(b, t, d)), cache

    def forward(self, x, cache):
        y, cache = self.attention(self.n1(x), cache)
        x = x + y
        return x + self.down(self.act(self.up(self.n2(x)))), cache


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.token_table = nn.Embedding(vocab_size, hidden_dim)
        self.place_table = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList(Layer(i, hidden_dim, num_heads) for i in range(num_layers))
        self.norm = nn.LayerNorm(hidden_dim)
        nn.init.normal_(self.token_table.weight, std=0.02)

    def forward(self, tokens, cache=None):
        cache = cache or Cache()
        places = torch.arange(tokens.size(1), device=tokens.device) + cache.length
        x = self.token_table(tokens) + self.place_table(places)
        for layer in self.layers:
            x, cache = layer(x, cache)
        return self.norm(x) @ self.token_table.weight.T, cache


@torch.no_grad()
def generate(model, tokens, count):
    model.eval()
    cache, new = None, tokens
    for _ in range(count):
        logits, cache = model(new, cache)
        new = logits[:, -1].argmax(-1, keepdim=True)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens
