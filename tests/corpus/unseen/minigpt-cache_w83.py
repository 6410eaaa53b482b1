from __future__ import annotations
import torch
from torch import nn, Tensor
import torch.nn.functional as F


class Cache:
    """Keys and values of every layer, of all positions so far."""

    def __init__(self, layers: tuple = ()) -> None:
        self.layers = layers

    @property
    def length(self) -> int:
        return self.layers[0][0].shape[2] if self.layers else 0

    def extended(self, layer: int, key: Tensor, value: Tensor):
        if layer < len(self.layers):
            past_key, past_value = self.layers[layer]
            key = torch.cat([past_key, key], dim=2)
            value = torch.cat([past_value, value], dim=2)
        layers = (*self.layers[:layer], (key, value), *self.layers[layer + 1 :])
        return Cache(layers), key, value


def heads(t: Tensor, n: int) -> Tensor:
    return t.unflatten(-1, (n, -1)).transpose(1, 2)


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size, self.num_heads, self.num_layers = block_size, num_heads, num_layers
        self.token_table = nn.Embedding(vocab_size, hidden_dim)
        self.position_table = nn.Embedding(block_size, hidden_dim)
        make = lambda f: nn.ModuleList([f() for _ in range(num_layers)])
        self.norm_1 = make(lambda: nn.LayerNorm(hidden_dim))
        self.norm_2 = make(lambda: nn.LayerNorm(hidden_dim))
        self.qkv = make(lambda: nn.Linear(hidden_dim, 3 * hidden_dim))
        self.out = make(lambda: nn.Linear(hidden_dim, hidden_dim))
        self.up = make(lambda: nn.Linear(hidden_dim, 4 * hidden_dim))
        self.down = make(lambda: nn.Linear(4 * hidden_dim, hidden_dim))
        self.final_norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens, cache=None):
        cache = Cache() if cache is None else cache
        batch, new = tokens.shape
        total = cache.length + new
        places = torch.arange(new, device=tokens.device)
        x = self.token_table(tokens) + self.position_table(places)
        seen = torch.ones(new, total, dtype=torch.bool, device=tokens.device).tril(total - new)
        for i in range(self.num_layers):
            q, k, v = self.qkv[i](self.norm_1[i](x)).chunk(3, dim=-1)
            cache, k, v = cache.extended(i, heads(k, self.num_heads), heads(v, self.num_heads))
            q = heads(q, self.num_heads)
            s = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~seen, float("-inf"))
            x = x + self.out[i]((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
            x = x + self.down[i](F.gelu(self.up[i](self.norm_2[i](x))))
        return F.linear(self.final_norm(x), self.token_table.weight), cache


@torch.no_grad()
def generate(model, tokens, count):
    model.eval()
    cache, fresh = None, tokens
    for _ in range(count):
        logits, cache = model(fresh, cache)
        fresh = logits[:, -1:].argmax(dim=-1)
        tokens = torch.cat((tokens, fresh), dim=1)
    return tokens
