import math

import torch
from torch import nn


class Grupo(nn.Module):
    """Una clave y un valor, y las consultas que los comparten, con su trozo de la mezcla final."""

    def __init__(self, ancho, ancho_cabeza, consultas):
        super().__init__()
        escala = 1 / math.sqrt(ancho)
        self.consultas = nn.Parameter(torch.randn(consultas, ancho, ancho_cabeza) * escala)
        self.clave = nn.Parameter(torch.randn(ancho, ancho_cabeza) * escala)
        self.valor = nn.Parameter(torch.randn(ancho, ancho_cabeza) * escala)
        self.salida = nn.Parameter(torch.randn(consultas, ancho_cabeza, ancho) * escala)

    def forward(self, x, permitido):
        clave = x @ self.clave
        valor = x @ self.valor
        total = 0
        for i in range(self.consultas.shape[0]):
            puntos = (x @ self.consultas[i]) @ clave.transpose(1, 2) / math.sqrt(clave.shape[-1])
            if permitido is not None:
                capa = permitido[:, i] if permitido.shape[1] > 1 else permitido[:, 0]
                puntos = puntos.masked_fill(capa == 0, -1e30 if puntos.dtype != torch.float16 else -6e4)
            total = total + (puntos.softmax(dim=2) @ valor) @ self.salida[i]
        return total


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.por_grupo = num_heads // num_kv_heads
        self.grupos = nn.ModuleList(
            [Grupo(hidden_dim, hidden_dim // num_heads, self.por_grupo) for _ in range(num_kv_heads)]
        )
        self.sesgo = nn.Parameter(torch.zeros(hidden_dim))

    def forward(self, x, attention_mask=None):
        suma = self.sesgo
        for g, grupo in enumerate(self.grupos):
            m = attention_mask
            if m is not None and m.shape[1] > 1:
                m = m[:, g * self.por_grupo : (g + 1) * self.por_grupo]
            suma = suma + grupo(x, m)
        return suma
