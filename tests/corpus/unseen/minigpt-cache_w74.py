# Kleines GPT mit Zwischenspeicher: je Schicht ein Paar (Schluessel, Werte)
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

Speicher = list[tuple[Tensor, Tensor]]


class Schicht(nn.Module):
    def __init__(self, breite: int, koepfe: int) -> None:
        super().__init__()
        self.koepfe = koepfe
        self.norm_a = nn.LayerNorm(breite)
        self.norm_b = nn.LayerNorm(breite)
        self.q = nn.Linear(breite, breite)
        self.k = nn.Linear(breite, breite)
        self.v = nn.Linear(breite, breite)
        self.o = nn.Linear(breite, breite)
        self.mlp = nn.Sequential(
            nn.Linear(breite, 4 * breite), nn.GELU(), nn.Linear(4 * breite, breite)
        )

    def teilen(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.koepfe, -1)).transpose(1, 2)

    def forward(self, x: Tensor, nummer: int, speicher: Speicher) -> Tensor:
        u = self.norm_a(x)
        q, k, v = self.teilen(self.q(u)), self.teilen(self.k(u)), self.teilen(self.v(u))
        if nummer < len(speicher):
            alt_k, alt_v = speicher[nummer]
            k = torch.cat([alt_k, k], dim=-2)
            v = torch.cat([alt_v, v], dim=-2)
            speicher[nummer] = (k, v)
        else:
            speicher.append((k, v))
        neu, alle = q.shape[-2], k.shape[-2]
        punkte = q @ k.mT / math.sqrt(q.shape[-1])
        erlaubt = torch.ones(neu, alle, device=x.device).tril(alle - neu) == 1
        gewichte = torch.where(erlaubt, punkte, -torch.inf).softmax(-1)
        x = x + self.o((gewichte @ v).transpose(1, 2).flatten(2))
        return x + self.mlp(self.norm_b(x))


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.woerter = nn.Embedding(vocab_size, hidden_dim)
        self.plaetze = nn.Embedding(block_size, hidden_dim)
        self.schichten = nn.ModuleList(Schicht(hidden_dim, num_heads) for _ in range(num_layers))
        self.schlussnorm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Speicher | None = None) -> tuple[Tensor, Speicher]:
        speicher = cache if cache is not None else []
        start = speicher[0][0].shape[-2] if speicher else 0
        platz = torch.arange(start, start + tokens.shape[1], device=tokens.device)
        x = self.woerter(tokens) + self.plaetze(platz)
        for nummer, schicht in enumerate(self.schichten):
            x = schicht(x, nummer, speicher)
        return self.schlussnorm(x) @ self.woerter.weight.T, speicher


def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    speicher = None
    eingabe = tokens
    with torch.no_grad():
        for _ in range(count):
            logits, speicher = model(eingabe, speicher)
            eingabe = logits[:, -1:].argmax(-1)
            tokens = torch.cat([tokens, eingabe], dim=1)
    return tokens
