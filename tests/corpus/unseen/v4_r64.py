# Selbst-Aufmerksamkeit mit einem Kopf, für ein einzelnes Beispiel geschrieben
# und mit vmap über den Stapel gehoben.
import math

import torch
from torch import nn
from torch.func import vmap


class SelfAttentionV4(nn.Module):

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.abfrage = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.schluessel = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wert = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.ausgang = nn.Linear(hidden_dim, hidden_dim)
        self.ausfall = nn.Dropout(dropout)
        self.massstab = 1 / math.sqrt(hidden_dim)

    def _ein_beispiel(self, satz, erlaubt):
        # satz: (laenge, breite), erlaubt: (laenge, laenge)
        q = self.abfrage(satz) * self.massstab
        k = self.schluessel(satz)
        v = self.wert(satz)
        punkte = torch.mm(q, k.t())
        punkte = torch.where(erlaubt, punkte, float("-inf"))
        # Softmax von Hand, das Maximum jeder Zeile wird abgezogen
        punkte = punkte - punkte.amax(dim=-1, keepdim=True).detach()
        gewichte = punkte.exp()
        gewichte = gewichte / gewichte.sum(dim=-1, keepdim=True)
        gewichte = self.ausfall(gewichte)
        return torch.mm(gewichte, v)

    def forward(self, x, attention_mask=None):
        n, laenge, _ = x.shape
        if attention_mask is None:
            # alles sichtbar
            erlaubt = x.new_ones(n, laenge, laenge, dtype=torch.bool)
        else:
            erlaubt = attention_mask.bool()
        stapel = vmap(self._ein_beispiel, in_dims=(0, 0), randomness="different")
        return self.ausgang(stapel(x, erlaubt))
