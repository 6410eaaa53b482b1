# right: v3  four matrices in one parameter
# Autoatención de una cabeza con máscara, dropout y proyección de salida.
import torch
import torch.nn.functional as F
from torch import nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.ancho, self.tasa = hidden_dim, dropout
        # Las cuatro matrices en un solo bloque: consulta, clave, valor, salida
        self.pesos = nn.Parameter(torch.empty(4, hidden_dim, hidden_dim))
        self.sesgo_salida = nn.Parameter(torch.zeros(hidden_dim))
        for i in range(4):
            nn.init.xavier_uniform_(self.pesos.data[i])

    def forward(self, x, attention_mask=None):
        consulta = F.linear(x, self.pesos[0])
        clave = F.linear(x, self.pesos[1])
        valor = F.linear(x, self.pesos[2])

        # puntajes[b, i, j]: cuánto le interesa la clave j a la consulta i
        sesgo = torch.zeros_like(x[..., :1])
        if attention_mask is not None:
            prohibido = torch.logical_not(attention_mask)
            sesgo = x.new_zeros(prohibido.shape).masked_fill(prohibido, float("-inf"))
        puntajes = torch.baddbmm(
            sesgo, consulta, clave.transpose(1, 2), beta=1.0, alpha=1.0 / self.ancho**0.5
        )

        # primero softmax, después dropout, y solo al entrenar
        atencion = F.dropout(F.softmax(puntajes, -1), p=self.tasa, training=self.training)
        return F.linear(atencion @ valor, self.pesos[3], self.sesgo_salida)
