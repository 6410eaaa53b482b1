from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class Cache:
    """Keys and values of every layer, of all positions so far. It is given: leave it as it is.

    Adding to it makes another cache and leaves this one as it is.
    """

    def __init__(self, layers: tuple[tuple[Tensor, Tensor], ...] = ()) -> None:
        self.layers = layers

    @property
    def length(self) -> int:
        """How many positions it holds."""
        return self.layers[0][0].shape[2] if self.layers else 0

    def extended(self, layer: int, key: Tensor, value: Tensor) -> tuple[Cache, Tensor, Tensor]:
        """Return the cache with new positions in one layer, and all keys and values of that layer.

        key and value are (batch, heads, length, head_dim), of the new positions.
        """
        if layer < len(self.layers):
            past_key, past_value = self.layers[layer]
            key = torch.cat([past_key, key], dim=2)
            value = torch.cat([past_value, value], dim=2)
        layers = (*self.layers[:layer], (key, value), *self.layers[layer + 1 :])
        return Cache(layers), key, value


# One block: attention over cache + new positions, then the MLP.
class Block(nn.Module):
    def __init__(self, index, hidden_dim, num_heads):
        super().__init__()
        self.index = index          # which layer of the cache is ours
        self.num_heads = num_heads
        self.ln1 = nn.LayerNorm(hidden_dim)
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.ln2 = nn.LayerNorm(hidden_dim)
        self.fc = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.fc_out = nn.Linear(4 * hidden_dim, hidden_dim)

    def forward(self, x, cache):
        B, T, C = x.shape
        # (B, T, 3C) -> 3 x (B, H, T, C // H)
        q, k, v = self.qkv(self.ln1(x)).view(B, T, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        cache, k, v = cache.extended(self.index, k, v)
        total = k.shape[2]
        # new position i is position total - T + i of the whole text
        mask = torch.ones(T, total, dtype=torch.bool, device=x.device).tril(total - T)
        att = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1])
        att = att.masked_fill(~mask, float("-inf")).softmax(dim=-1)
        x = x + self.proj((att @ v).transpose(1, 2).reshape(B, T, C))
        x = x + self.fc_out(nn.functional.gelu(self.fc(self.ln2(x))))
        return x, cache


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.wte = nn.Embedding(vocab_size, hidden_dim)
        self.wpe = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList(Block(i, hidden_dim, num_heads) for i in range(num_layers))
        self.ln_f = nn.LayerNorm(hidden_dim)

    def forward(self, tokens, cache=None):
        cache = Cache() if cache is None else cache
        start = cache.length
        pos = torch.arange(start, start + tokens.shape[1], device=tokens.device)
        x = self.wte(tokens) + self.wpe(pos)
        for block in self.blocks:
            x, cache = block(x, cache)
        # the head is the token table
        return self.ln_f(x) @ self.wte.weight.T, cache


@torch.no_grad()
def generate(model, tokens, count):
    was_training = model.training
    model.eval()
    cache, new = None, tokens
    for _ in range(count):
        logits, cache = model(new, cache)
        # likeliest token behind the last position
        new = logits[:, 0].argmax(dim=-1, keepdim=True)
        tokens = torch.cat([tokens, new], dim=1)
    model.train(was_training)
    return tokens
