# mini GPT + KV cache (following along with the lecture, part 9)
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
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


class SelfAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.head_dim = dim // heads
        self.W_q = nn.Linear(dim, dim, bias=False)
        self.W_k = nn.Linear(dim, dim, bias=False)
        self.W_v = nn.Linear(dim, dim, bias=False)
        self.W_o = nn.Linear(dim, dim, bias=False)

    def split(self, t):
        b, n, d = t.shape
        return t.view(b, n, self.heads, self.head_dim).transpose(1, 2)

    def forward(self, x, cache, idx):
        q = self.split(self.W_q(x))
        new_cache, k, v = cache.extended(idx, self.split(self.W_k(x)), self.split(self.W_v(x)))
        n, total = q.shape[2], k.shape[2]
        scores = q @ k.transpose(2, 3) / math.sqrt(self.head_dim)
        tril = torch.tril(torch.ones(n, total, device=x.device), diagonal=total - n)
        scores = scores.masked_fill(tril == 0, float("-inf"))
        out = F.softmax(scores, dim=-1) @ v
        return self.W_o(out.transpose(1, 2).reshape(x.shape)), new_cache


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.sa = SelfAttention(dim, heads)
        self.up = nn.Linear(dim, 4 * dim)
        self.down = nn.Linear(4 * dim, dim)
        self.ln1 = nn.LayerNorm(dim, eps=1e-5)
        self.ln2 = nn.LayerNorm(dim, eps=1e-5)

    def forward(self, x, cache, idx):
        sa_out, cache = self.sa(self.ln1(x), cache, idx)
        x = x + sa_out
        x = x + self.down(F.gelu(self.up(self.ln2(x))))
        return x, cache


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.tok_emb = nn.Embedding(vocab_size, hidden_dim)
        self.pos_emb = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList([Block(hidden_dim, num_heads) for _ in range(num_layers)])
        self.ln_f = nn.LayerNorm(hidden_dim, eps=1e-5)

    def forward(self, tokens, cache=None):
        if cache is None:
            cache = Cache()
        new_cache = cache
        start = cache.length
        pos = torch.arange(start, start + tokens.shape[1], device=tokens.device)
        x = self.tok_emb(tokens) + self.pos_emb(pos)
        for i, block in enumerate(self.blocks):
            x, new_cache = block(x, cache, i)
        logits = self.ln_f(x) @ self.tok_emb.weight.T  # tied head
        return logits, new_cache


@torch.no_grad()
def generate(model, tokens, count):
    model.eval()
    cache = None
    nxt = tokens
    for _ in range(count):
        logits, cache = model(nxt, cache)
        nxt = torch.argmax(logits[:, -1, :], dim=-1, keepdim=True)
        tokens = torch.cat((tokens, nxt), dim=1)
    return tokens
