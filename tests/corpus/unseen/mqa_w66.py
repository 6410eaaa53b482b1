# Atención multi-consulta: muchas cabezas de consulta, una sola de clave y una de valor.
import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.cabezas = num_heads
        self.d = hidden_dim // num_heads
        self.consulta = nn.Linear(hidden_dim, hidden_dim)
        self.clave = nn.Linear(hidden_dim, self.d)
        self.valor = nn.Linear(hidden_dim, self.d)
        self.salida = nn.Linear(hidden_dim, hidden_dim)

    def sesgo(self, mascara, tipo):
        """Pasa de 1/0 a 0/-grande, para sumarlo a los puntajes."""
        m = mascara.to(tipo)
        m.sub_(1).mul_(torch.finfo(tipo).max)
        return m

    def forward(self, x, attention_mask=None):
        b, t, _ = x.shape
        q = self.consulta(x).view(b, t, self.cabezas, self.d).transpose(1, 2)
        k = self.clave(x)[:, None]          # (b, 1, t, d)
        v = self.valor(x)[:, None]

        puntajes = (q * self.d ** -0.5) @ k.transpose(-1, -2)
        if attention_mask is not None:
            puntajes = puntajes + self.sesgo(attention_mask, puntajes.dtype)
        pesos = torch.softmax(puntajes, dim=-1)

        y = (pesos @ v).transpose(1, 2).contiguous().view(b, t, -1)
        return self.salida(y)
