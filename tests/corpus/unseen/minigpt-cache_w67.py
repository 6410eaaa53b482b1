# Kleines GPT mit Zwischenspeicher für Schlüssel und Werte
from __future__ import annotations

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


class Aufmerksamkeit(nn.Module):
    def __init__(self, breite: int, koepfe: int, schicht: int) -> None:
        super().__init__()
        self.koepfe, self.schicht = koepfe, schicht
        self.frage = nn.Linear(breite, breite)
        self.merke = nn.Linear(breite, 2 * breite)
        self.heraus = nn.Linear(breite, breite)

    def forward(self, x: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
        n, neu, breite = x.shape
        q = self.frage(x).view(n, neu, self.koepfe, -1).transpose(1, 2)
        k, v = self.merke(x).view(n, neu, 2, self.koepfe, -1).permute(2, 0, 3, 1, 4)
        cache, k, v = cache.extended(self.schicht, k, v)
        alle = k.shape[2]
        stelle = torch.arange(alle, device=x.device)
        gesperrt = stelle[None, :] > stelle[alle - neu :, None]
        s = torch.einsum("bhqd,bhkd->bhqk", q, k) * q.shape[-1] ** -0.5
        g = s.masked_fill(gesperrt, float("-inf")).softmax(-1)
        y = torch.einsum("bhqk,bhkd->bqhd", g, v).reshape(n, neu, breite)
        return self.heraus(y), cache


class Schicht(nn.Module):
    def __init__(self, breite: int, koepfe: int, nummer: int) -> None:
        super().__init__()
        self.n1 = nn.LayerNorm(breite, eps=1e-5)
        self.a = Aufmerksamkeit(breite, koepfe, nummer)
        self.n2 = nn.LayerNorm(breite, eps=1e-5)
        self.m = nn.Sequential(nn.Linear(breite, 4 * breite), nn.GELU(), nn.Linear(4 * breite, breite))

    def forward(self, x: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
        y, cache = self.a(self.n1(x), cache)
        x = x + y
        return x + self.m(self.n2(x)), cache


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.wort = nn.Embedding(vocab_size, hidden_dim)
        self.platz = nn.Embedding(block_size, hidden_dim)
        self.schichten = nn.ModuleList(Schicht(hidden_dim, num_heads, i) for i in range(num_layers))
        self.norm = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.kopf = nn.Linear(hidden_dim, vocab_size, bias=False)
        # der Kopf ist die Worttabelle
        self.kopf.weight.data = self.wort.weight.data

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        cache = Cache() if cache is None else cache
        von = cache.length
        platz = torch.arange(von, von + tokens.shape[1], device=tokens.device)
        x = self.wort(tokens) + self.platz(platz)
        for schicht in self.schichten:
            x, cache = schicht(x, cache)
        return self.kopf(self.norm(x)), cache


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    rest, cache = tokens, None
    for _ in range(count):
        logits, cache = model(rest, cache)
        rest = logits[:, -1:, :].argmax(-1)
        tokens = torch.cat((tokens, rest), dim=1)
    return tokens
