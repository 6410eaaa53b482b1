from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn


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


def block_weights(d):
    return nn.ModuleDict(dict(
        a_norm=nn.LayerNorm(d), qkv=nn.Linear(d, 3 * d), proj=nn.Linear(d, d),
        m_norm=nn.LayerNorm(d), fc1=nn.Linear(d, 4 * d), fc2=nn.Linear(4 * d, d),
    ))


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.num_heads = num_heads
        self.emb = nn.Embedding(vocab_size, hidden_dim)
        self.pos = nn.Parameter(torch.zeros(block_size, hidden_dim).normal_(std=0.02))
        self.blocks = nn.ModuleList(block_weights(hidden_dim) for _ in range(num_layers))
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens, cache=None):
        if cache is None:
            cache = Cache()
        start = cache.length
        stop = start + tokens.shape[1]
        x = self.emb(tokens) + self.pos[start:stop]
        hidden = torch.ones(stop, stop, dtype=torch.bool, device=x.device).triu(1)[start:]
        for i, w in enumerate(self.blocks):
            q, k, v = w["qkv"](w["a_norm"](x)).chunk(3, -1)
            q, k, v = [t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for t in (q, k, v)]
            cache, k, v = cache.extended(i, k, v)
            s = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
            p = torch.softmax(s.masked_fill(hidden, float("-inf")), dim=-1)
            x = x + w["proj"]((p @ v).transpose(1, 2).flatten(2))
            x = x + w["fc2"](F.gelu(w["fc1"](w["m_norm"](x))))
        return F.linear(self.norm(x), self.emb.weight), cache


@torch.no_grad()
def generate(model, tokens, count):
    model.eval()
    if count == 0:
        return tokens
    # prefill
    logits, cache = model(tokens, None)
    out = [tokens, logits[:, -1].argmax(dim=-1, keepdim=True)]
    # decode, one token at a time
    while len(out) <= count:
        logits, _ = model(out[-1], cache)
        out.append(logits[:, -1].argmax(dim=-1, keepdim=True))
    return torch.cat(out, dim=1)
