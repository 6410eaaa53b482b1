# attn-kata: minigpt-cache
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


# 缓存用一个列表：每层一个 (key, value)
class Attention(nn.Module):
    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.d_k = d_model // n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def split(self, t: Tensor) -> Tensor:
        b, n, _ = t.size()
        return t.view(b, n, self.n_heads, self.d_k).transpose(1, 2)

    def forward(self, x: Tensor, kv_cache: list, layer: int) -> Tensor:
        b, n, d = x.size()
        q, k, v = self.split(self.W_q(x)), self.split(self.W_k(x)), self.split(self.W_v(x))
        if layer < len(kv_cache):
            # 拼接历史的 key 和 value
            past_k, past_v = kv_cache[layer]
            k = torch.cat([past_k, k], dim=2)
            v = torch.cat([past_v, v], dim=2)
            kv_cache[layer] = (k, v)
        else:
            kv_cache.append((k, v))
        m = k.size(2)
        scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(self.d_k)   # (b, h, n, m)
        mask = torch.triu(torch.ones(n, m, device=x.device), diagonal=m - n + 1).bool()
        scores = scores.masked_fill(mask, float("-inf"))
        out = torch.matmul(torch.softmax(scores, dim=-1), v)
        return self.W_o(out.transpose(1, 2).contiguous().view(b, n, d))


class Block(nn.Module):
    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.ln1 = nn.LayerNorm(d_model)
        self.attn = Attention(d_model, n_heads)
        self.ln2 = nn.LayerNorm(d_model)
        self.ffn = nn.Sequential(nn.Linear(d_model, 4 * d_model), nn.GELU(), nn.Linear(4 * d_model, d_model))

    def forward(self, x: Tensor, kv_cache: list, layer: int) -> Tensor:
        x = x + self.attn(self.ln1(x), kv_cache, layer)
        x = x + self.ffn(self.ln2(x))
        return x


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.tok_emb = nn.Embedding(vocab_size, hidden_dim)
        self.pos_emb = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList([Block(hidden_dim, num_heads) for _ in range(num_layers)])
        self.ln_f = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: list | None = None) -> tuple[Tensor, list]:
        kv_cache = [] if cache is None else cache
        start = kv_cache[0][0].size(2) if kv_cache else 0                   # 已缓存的长度
        pos = torch.arange(start, start + tokens.size(1), device=tokens.device)
        x = self.tok_emb(tokens) + self.pos_emb(pos)
        for i, block in enumerate(self.blocks):
            x = block(x, kv_cache, i)
        logits = torch.matmul(self.ln_f(x), self.tok_emb.weight.t())
        return logits, kv_cache


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    cache = None
    cur = tokens
    for _ in range(count):
        logits, cache = model(cur, cache)
        cur = torch.argmax(logits[:, -1], dim=-1, keepdim=True)
        tokens = torch.cat([tokens, cur], dim=1)
    return tokens
