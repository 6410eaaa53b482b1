import functools
import warnings

import torch
from torch import nn

warnings.filterwarnings("ignore", message=".*non-writable.*")


def encadenar(pasos, inicio):
    return functools.reduce(lambda acumulado, paso: paso(acumulado), pasos, inicio)


class CrossAttention(nn.Module):
    """Atención cruzada: las consultas vienen de una secuencia; claves y valores, de otra."""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_cabezas = num_heads
        self.dim_cabeza = hidden_dim // num_heads
        self.proy = nn.ModuleDict({
            nombre: nn.Linear(hidden_dim, hidden_dim, bias=False)
            for nombre in ("query", "key", "value", "salida")
        })
        self.descarte = nn.Dropout(dropout)

    def _cabezas(self, nombre, t):
        return self.proy[nombre](t).unflatten(2, (self.num_cabezas, self.dim_cabeza)).movedim(2, 1)

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            self._cabezas(nombre, t)
            for nombre, t in {"query": query, "key": key, "value": value}.items()
        )
        pasos = [
            lambda q: q @ k.mT,                                   # (B, H, Tq, Tk)
            lambda s: s / self.dim_cabeza ** 0.5,
            # máscara igual para todas las cabezas; 0 = prohibido
            lambda s: s if mask is None else s.masked_fill(mask[:, None] == 0, torch.finfo(s.dtype).min),
            lambda s: torch.softmax(s, dim=-1),
            self.descarte,
            lambda w: w @ v,
            lambda c: c.movedim(1, 2).flatten(-2),
            self.proy["salida"],
        ]
        return encadenar(pasos, q)
