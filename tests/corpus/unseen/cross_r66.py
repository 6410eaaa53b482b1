# Atención cruzada: parámetros "crudos" apilados por cabeza y einsum en todo.
from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor, nn


@dataclass
class Opciones:
    ancho: int
    cabezas: int
    p: float = 0.1
    por_cabeza: int = field(init=False)

    def __post_init__(self) -> None:
        self.por_cabeza = self.ancho // self.cabezas
        assert self.por_cabeza * self.cabezas == self.ancho


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        o = self.opciones = Opciones(hidden_dim, num_heads, dropout)
        # (cabeza, por_cabeza, ancho): una rebanada por cabeza
        self.Wq = nn.Parameter(torch.randn(o.cabezas, o.por_cabeza, o.ancho) * o.ancho**-0.5)
        self.Wk = nn.Parameter(torch.randn(o.cabezas, o.por_cabeza, o.ancho) * o.ancho**-0.5)
        self.Wv = nn.Parameter(torch.randn(o.cabezas, o.por_cabeza, o.ancho) * o.ancho**-0.5)
        # la salida suma sobre las cabezas, no hace falta concatenar
        self.Wo = nn.Parameter(torch.randn(o.cabezas, o.por_cabeza, o.ancho) * o.ancho**-0.5)
        self.azar = nn.Dropout(o.p)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        q = torch.einsum("bqm,hdm->hbqd", query, self.Wq)
        k = torch.einsum("bkm,hdm->hbkd", key, self.Wk)
        v = torch.einsum("bkm,hdm->hbkd", value, self.Wv)

        puntos = torch.einsum("hbqd,hbkd->hbqk", q, k).div(self.opciones.por_cabeza**0.5)
        if mask is not None:
            # las cabezas van delante, así que la máscara (b, q, k) se difunde sola
            puntos = puntos.masked_fill(mask == 0, torch.finfo(puntos.dtype).min)
        pesos = self.azar(puntos.softmax(-1))

        contexto = torch.einsum("hbqk,hbkd->hbqd", pesos, v)
        return torch.einsum("hbqd,hdm->bqm", contexto, self.Wo)
