# Atención con caché de claves y valores. La caché es una tupla inmutable de trozos:
# cada llamada añade un trozo y no toca los anteriores, así que se puede bifurcar.
import math

import torch
import torch.nn as nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.cabezas = num_heads
        self.consulta = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.clave_valor = nn.Linear(hidden_dim, 2 * hidden_dim, bias=False)
        self.salida = nn.Linear(hidden_dim, hidden_dim)

    def por_cabezas(self, t):
        lote, largo, ancho = t.shape
        return t.view(lote, largo, self.cabezas, ancho // self.cabezas).transpose(1, 2)

    def forward(self, x, cache=None):
        lote, largo, ancho = x.shape
        q = self.por_cabezas(self.consulta(x))
        k, v = (self.por_cabezas(t) for t in self.clave_valor(x).chunk(2, -1))

        trozos = (cache or ()) + ((k, v),)
        claves = torch.cat([t[0] for t in trozos], dim=2)
        valores = torch.cat([t[1] for t in trozos], dim=2)

        total = claves.size(2)
        puntajes = q @ claves.transpose(2, 3) / math.sqrt(ancho // self.cabezas)
        # la fila 0 está en la posición total - largo; a partir de la siguiente es futuro
        futuro = torch.ones(largo, total, dtype=torch.bool, device=x.device)
        futuro = futuro.triu(diagonal=total - largo + 1)
        puntajes = puntajes.masked_fill(futuro, float("-inf"))
        contexto = puntajes.softmax(-1) @ valores
        return self.salida(contexto.transpose(1, 2).reshape(lote, largo, ancho)), trozos
