from __future__ import annotations

from typing import Iterator, Optional

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

# I keep my own: one stacked (2, batch, heads, positions, head_dim) tensor a layer, in a tuple.
# (The class above stays as it was.)
Memory = tuple[Tensor, ...]


def cached_positions(memory: Optional[Memory]) -> int:
    return 0 if memory is None else memory[0].shape[3]


class Layer(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        inner = width // heads
        self.heads = heads
        self.temperature: float = inner**0.5
        self.ln_a = nn.LayerNorm(width, eps=1e-5)
        # x, w, z: which of the three, head, inner width
        self.w_in = nn.Parameter(torch.randn(3, heads, width, inner) * width**-0.5)
        self.b_in = nn.Parameter(torch.zeros(3, heads, 1, inner))
        self.w_out = nn.Parameter(torch.randn(heads, inner, width) * width**-0.5)
        self.b_out = nn.Parameter(torch.zeros(width))
        self.ln_m = nn.LayerNorm(width, eps=1e-5)
        self.grow = nn.Linear(width, 4 * width)
        self.shrink = nn.Linear(4 * width, width)

    def forward(self, s: Tensor, hidden: Tensor, old: Optional[Tensor]) -> tuple[Tensor, Tensor]:
        made = torch.einsum("ypw,xhwz->xyhpz", self.ln_a(s), self.w_in) + self.b_in[:, None]
        asks, fresh = made[0], made[1:]
        held = fresh if old is None else torch.cat((old, fresh), dim=3)
        keys, values = held
        match = torch.einsum("yhpz,yhgz->yhpg", asks, keys) / self.temperature
        share = match.masked_fill(hidden, float("-inf")).softmax(dim=-1)
        s = s + torch.einsum("yhpg,yhgz,hzw->ypw", share, values, self.w_out) + self.b_out
        s = s + self.shrink(F.gelu(self.grow(self.ln_m(s))))
        return s, held


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.words = nn.Parameter(torch.randn(vocab_size, hidden_dim) * 0.02)
        self.places = nn.Parameter(torch.randn(block_size, hidden_dim) * 0.02)
        self.stack = nn.ModuleList(Layer(hidden_dim, num_heads) for _ in range(num_layers))
        self.ln_out = nn.LayerNorm(hidden_dim, eps=1e-5)

    def forward(self, tokens: Tensor, cache: Optional[Memory] = None) -> tuple[Tensor, Memory]:
        begin = cached_positions(cache)
        end = begin + tokens.shape[1]
        when = torch.arange(end, device=tokens.device)
        hidden = when[None, :] > when[begin:, None]
        s = F.embedding(tokens, self.words) + self.places[begin:end]
        kept: list[Tensor] = []
        for number, layer in enumerate(self.stack):
            s, held = layer(s, hidden, None if cache is None else cache[number])
            kept.append(held)
        return F.linear(self.ln_out(s), self.words), tuple(kept)


def stream(model: nn.Module, tokens: Tensor, count: int) -> Iterator[Tensor]:
    """Yields the prompt, then one column after another."""
    yield tokens
    memory = None
    for _ in range(count):
        logits, memory = model(tokens, memory)
        tokens = logits[:, -1].argmax(dim=-1, keepdim=True)
        yield tokens


def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    with torch.no_grad():
        return torch.cat(list(stream(model, tokens, count)), dim=1)
