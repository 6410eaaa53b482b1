# right: cross
# atención cruzada, una cabeza a la vez
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        tam = hidden_dim // num_heads
        cabezas = range(num_heads)
        self.wq = nn.ModuleList([nn.Linear(hidden_dim, tam) for _ in cabezas])
        self.wk = nn.ModuleList([nn.Linear(hidden_dim, tam) for _ in cabezas])
        self.wv = nn.ModuleList([nn.Linear(hidden_dim, tam) for _ in cabezas])
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def una_cabeza(self, q, k, v, mascara):
        puntos = torch.bmm(q, k.permute(0, 2, 1)) / (k.shape[-1] ** 0.5)
        if mascara is not None:
            puntos = puntos.masked_fill(mascara == 0, -1e9)
        return torch.bmm(torch.softmax(puntos, dim=-1), v)

    def forward(self, query, key, value, mask=None):
        salidas = []
        for wq, wk, wv in zip(self.wq, self.wk, self.wv):
            salidas.append(self.una_cabeza(wq(query), wk(key), wv(value), mask))
        return self.wo(torch.cat(salidas, dim=2))
