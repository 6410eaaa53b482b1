# right: v3 remarks: fill-overflows-half
# Auto-atención con máscara. La máscara vale 1 donde se puede mirar.
import torch
import torch.nn as nn


class AutoAtencion(nn.Module):
    def __init__(self, dimension, abandono=0.1):
        super().__init__()
        self.dimension = dimension
        self.capa_consulta = nn.Linear(dimension, dimension)
        self.capa_clave = nn.Linear(dimension, dimension)
        self.capa_valor = nn.Linear(dimension, dimension)
        self.capa_salida = nn.Linear(dimension, dimension)
        self.abandono = nn.Dropout(abandono)

    def forward(self, entrada, mascara):
        consulta = self.capa_consulta(entrada)
        clave = self.capa_clave(entrada)
        valor = self.capa_valor(entrada)
        puntajes = torch.matmul(consulta, clave.transpose(-2, -1)) / (self.dimension ** 0.5)
        if mascara is not None:
            puntajes = puntajes.masked_fill(mascara == False, -1e10)  # noqa: E712
        pesos = torch.softmax(puntajes, dim=-1)
        pesos = self.abandono(pesos)
        return self.capa_salida(torch.matmul(pesos, valor))
