# GPT pequeño con caché; cada paso es una clase muy corta.
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


class Sumar(nn.Module):
    """x + f(norma(x)): el camino residual."""

    def __init__(self, ancho: int, f: nn.Module) -> None:
        super().__init__()
        self.norma = nn.LayerNorm(ancho)
        self.f = f

    def forward(self, x: Tensor, *resto):
        y = self.f(self.norma(x), *resto)
        if isinstance(y, tuple):
            return x + y[0], y[1]
        return x + y


class Atencion(nn.Module):
    def __init__(self, ancho: int, cabezas: int, capa: int) -> None:
        super().__init__()
        self.cabezas, self.capa = cabezas, capa
        self.d = ancho // cabezas
        self.q, self.k, self.v, self.o = (nn.Linear(ancho, ancho) for _ in range(4))

    def forward(self, x: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
        q, k, v = (f(x).unflatten(2, (self.cabezas, self.d)).transpose(1, 2) for f in (self.q, self.k, self.v))
        cache, k, v = cache.extended(self.capa, k, v)
        nuevas, todas = q.shape[2], k.shape[2]
        futuro = torch.ones(nuevas, todas, dtype=torch.bool, device=x.device).triu(todas - nuevas + 1)
        s = (q @ k.mT / math.sqrt(self.d)).masked_fill(futuro, float("-inf"))
        return self.o((s.softmax(-1) @ v).transpose(1, 2).flatten(2)), cache


class Bloque(nn.Module):
    def __init__(self, ancho: int, cabezas: int, capa: int) -> None:
        super().__init__()
        self.mirar = Sumar(ancho, Atencion(ancho, cabezas, capa))
        self.pensar = Sumar(
            ancho, nn.Sequential(nn.Linear(ancho, 4 * ancho), nn.GELU(), nn.Linear(4 * ancho, ancho))
        )

    def forward(self, x: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
        x, cache = self.mirar(x, cache)
        return self.pensar(x), cache


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.fichas = nn.Embedding(vocab_size, hidden_dim)
        self.lugares = nn.Embedding(block_size, hidden_dim)
        self.bloques = nn.ModuleList(Bloque(hidden_dim, num_heads, i) for i in range(num_layers))
        self.norma = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        cache = Cache() if cache is None else cache
        desde = cache.length
        lugar = torch.arange(desde, desde + tokens.shape[1], device=tokens.device)
        x = self.fichas(tokens) + self.lugares(lugar)
        for bloque in self.bloques:
            x, cache = bloque(x, cache)
        return self.norma(x) @ self.fichas.weight.T, cache


@torch.inference_mode()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    antes = model.training
    model.eval()
    texto, nuevo, cache = [tokens], tokens, None
    while len(texto) <= count:
        logits, cache = model(nuevo, cache)
        nuevo = logits[:, -1:].argmax(dim=-1)
        texto.append(nuevo)
    model.train(antes)
    return torch.cat(texto, dim=1)
