# right: v1
# Autoatención desde cero, paso a paso.
import math
import torch
from torch import nn


class AutoAtencion(nn.Module):
    def __init__(self, dimension):
        super().__init__()
        self.dimension = dimension
        self.clave = nn.Linear(dimension, dimension)
        self.consulta = nn.Linear(dimension, dimension)
        self.valor = nn.Linear(dimension, dimension)

    @property
    def escala(self):
        return 1.0 / math.sqrt(self.dimension)

    @staticmethod
    def suavizar(puntuaciones):
        maximo = puntuaciones.max(dim=-1, keepdim=True).values
        exponentes = torch.exp(puntuaciones - maximo)
        return exponentes / exponentes.sum(dim=-1, keepdim=True)

    def forward(self, entrada):
        consultas, claves, valores = self.consulta(entrada), self.clave(entrada), self.valor(entrada)
        puntuaciones = (consultas @ claves.transpose(-2, -1)) * self.escala
        pesos = self.suavizar(puntuaciones)
        salida = pesos @ valores
        return salida, pesos
