# wrong: causal causal-inverted line 9
# Atenção causal: cada palavra só vê as anteriores (será?)
import torch
import torch.nn as nn


def mascara_causal(n, dispositivo):
    i = torch.arange(n, device=dispositivo)
    return i[:, None] <= i[None, :]


class AtencaoCausal(nn.Module):
    def __init__(self, dim, cabecas, contexto):
        super().__init__()
        self.cabecas = cabecas
        self.consulta = nn.Linear(dim, dim)
        self.chave = nn.Linear(dim, dim)
        self.valor = nn.Linear(dim, dim)
        self.saida = nn.Linear(dim, dim)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = (f(x).view(b, n, self.cabecas, -1).transpose(1, 2) for f in (self.consulta, self.chave, self.valor))
        s = q @ k.transpose(-1, -2) / (d // self.cabecas) ** 0.5
        s = s.masked_fill(~mascara_causal(n, x.device), float("-inf"))
        return self.saida((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
