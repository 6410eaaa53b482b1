# wrong: v1 softmax-unstable line 8
# Softmax a mano, tal como sale en la pizarra
import torch
from torch import nn


def softmax(puntos):
    exponentes = torch.exp(puntos)
    return exponentes / exponentes.sum(-1, keepdim=True)


class AutoAtencion(nn.Module):
    def __init__(self, dimension):
        super().__init__()
        self.consulta = nn.Linear(dimension, dimension)
        self.clave = nn.Linear(dimension, dimension)
        self.valor = nn.Linear(dimension, dimension)
        self.raiz = dimension ** 0.5

    def forward(self, x):
        puntos = self.consulta(x) @ self.clave(x).transpose(1, 2) / self.raiz
        return softmax(puntos) @ self.valor(x)
