# Atención multicabeza. La máscara: 1 = puede mirar, 0 = no puede.
import math

import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0, "hidden_dim debe ser múltiplo de num_heads"
        self.cabezas = num_heads
        self.dim_cabeza = hidden_dim // num_heads
        self.consulta = nn.Linear(hidden_dim, hidden_dim)
        self.clave = nn.Linear(hidden_dim, hidden_dim)
        self.valor = nn.Linear(hidden_dim, hidden_dim)
        self.salida = nn.Linear(hidden_dim, hidden_dim)
        self.abandono = nn.Dropout(dropout)

    def separar(self, t):
        # (lote, largo, ancho) -> (lote, cabezas, largo, dim_cabeza)
        lote, largo, _ = t.shape
        return t.view(lote, largo, self.cabezas, self.dim_cabeza).transpose(1, 2)

    def juntar(self, t):
        lote, _, largo, _ = t.shape
        return t.transpose(1, 2).contiguous().view(lote, largo, -1)

    def forward(self, x, attention_mask=None):
        q = self.separar(self.consulta(x))
        k = self.separar(self.clave(x))
        v = self.separar(self.valor(x))

        puntajes = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(self.dim_cabeza)
        if attention_mask is not None:
            # la máscara se extiende sola sobre las cabezas
            puntajes = puntajes * attention_mask.to(puntajes.dtype)
        pesos = self.abandono(torch.softmax(puntajes, dim=-1))
        return self.salida(self.juntar(torch.matmul(pesos, v)))
