# right: v2
# el orden del bloque fusionado es (valor, clave, consulta): da igual mientras sea coherente
import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.vkq = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.escala = hidden_dim ** 0.5

    def forward(self, x):
        valor, clave, consulta = torch.chunk(self.vkq(x), 3, -1)
        puntajes = consulta @ clave.transpose(-1, -2) / self.escala
        pesos = torch.nn.functional.softmax(puntajes, dim=-1)
        return pesos @ valor
