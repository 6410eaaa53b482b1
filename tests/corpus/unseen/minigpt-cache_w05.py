from __future__ import annotations

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


def _causal(new: int, total: int, device) -> Tensor:
    rows = torch.arange(total - new, total, device=device).unsqueeze(1)
    return torch.arange(total, device=device).unsqueeze(0) <= rows


class GPTBlock(nn.Module):
    def __init__(self, config: dict, index: int) -> None:
        super().__init__()
        width = config["width"]
        self.index = index
        self.n_heads = config["heads"]
        self.pre_attention = nn.LayerNorm(width, eps=config["eps"])
        self.pre_mlp = nn.LayerNorm(width, eps=config["eps"])
        self.in_proj = nn.Linear(width, 3 * width)
        self.out_proj = nn.Linear(width, width)
        self.wide = nn.Linear(width, 4 * width)
        self.narrow = nn.Linear(4 * width, width)

    def forward(self, x: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
        fused = self.in_proj(self.pre_attention(x))
        q, k, v = (p.unflatten(-1, (self.n_heads, -1)).movedim(-2, 1) for p in fused.chunk(3, dim=-1))
        cache, k, v = cache.extended(self.index, k, v)
        logits = (q * q.shape[-1] ** -0.5) @ k.mT
        logits = torch.where(_causal(q.shape[2], k.shape[2], x.device), logits, torch.finfo(logits.dtype).min)
        mixed = (logits.softmax(dim=-1) @ v).movedim(1, -2).flatten(-2)
        x = x + self.out_proj(mixed)
        return x + self.narrow(F.gelu(self.wide(self.pre_mlp(x)))), cache


class CachedGPT(nn.Module):
    def __init__(self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int) -> None:
        super().__init__()
        config = {"width": hidden_dim, "heads": num_heads, "eps": 1e-5}
        self.block_size = block_size
        self.token_table = nn.Embedding(vocab_size, hidden_dim)
        self.place_table = nn.Embedding(block_size, hidden_dim)
        self.stack = nn.ModuleList([GPTBlock(config, i) for i in range(num_layers)])
        self.final = nn.LayerNorm(hidden_dim, eps=config["eps"])

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        cache = cache if cache is not None else Cache()
        offset = cache.length
        places = self.place_table.weight[offset : offset + tokens.shape[1]]
        x = self.token_table(tokens) + places
        for block in self.stack:
            x, cache = block(x, cache)
        return self.final(x) @ self.token_table.weight.mT, cache


def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    batch, length = tokens.shape
    text = torch.cat([tokens, tokens.new_zeros(batch, count)], dim=1)
    cache, read = None, 0
    with torch.no_grad():
        for at in range(length, length + count):
            logits, cache = model(text[:, read:at], cache)
            read = at
            text[:, at] = logits[0, -1].argmax()
    return text
