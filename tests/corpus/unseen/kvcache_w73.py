# Aufmerksamkeit mit Zwischenspeicher: alte Schlüssel und Werte werden nicht neu berechnet.
import torch
import torch.nn.functional as F
from torch import nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.koepfe = num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.ausgang = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        stapel, neu, breite = x.shape
        kopf = breite // self.koepfe
        q, k, v = (
            t.reshape(stapel, neu, self.koepfe, kopf).transpose(1, 2)
            for t in self.qkv(x).chunk(3, dim=-1)
        )

        bisher = 0
        if cache is not None:
            bisher = cache["k"].shape[1]
            # hinten anhängen; der übergebene Speicher bleibt, wie er ist
            k = torch.cat([cache["k"], k], dim=2)
            v = torch.cat([cache["v"], v], dim=2)

        punkte = (q @ k.transpose(-2, -1)) * kopf**-0.5
        # Anfrage i steht an Stelle bisher + i
        zeile = torch.arange(neu, device=x.device).unsqueeze(1) + bisher
        spalte = torch.arange(k.shape[2], device=x.device).unsqueeze(0)
        punkte = punkte.masked_fill(spalte > zeile, float("-inf"))

        y = F.softmax(punkte, dim=-1) @ v
        y = y.transpose(1, 2).reshape(stapel, neu, breite)
        return self.ausgang(y), {"k": k, "v": v}
