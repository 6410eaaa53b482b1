# Atención cruzada: las consultas vienen de una secuencia; claves y valores, de otra.
from math import sqrt

import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError("hidden_dim tiene que ser múltiplo de num_heads")
        self.n, self.d = num_heads, hidden_dim // num_heads
        # una capa por cabeza y por papel
        capas = lambda: nn.ModuleList(nn.Linear(hidden_dim, self.d) for _ in range(num_heads))
        self.consultas, self.claves, self.valores = capas(), capas(), capas()
        self.salida = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        contextos = []
        for cq, ck, cv in zip(self.consultas, self.claves, self.valores):
            q, k, v = cq(query), ck(key), cv(value)      # (lote, Tq, d), (lote, Tk, d) x2
            puntajes = q.matmul(k.transpose(1, 2)) / sqrt(self.d)   # (lote, Tq, Tk)
            if mask is not None:
                # 0 significa "no mirar"
                puntajes[mask == 0] = -torch.inf
            pesos = self.dropout(puntajes.softmax(2))
            contextos.append(pesos.matmul(v))
        # Tk ya no aparece: una suma ponderada por cada consulta
        return self.salida(torch.cat(contextos, dim=-1))
