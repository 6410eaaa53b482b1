# Reine Schleifenfassung: pro Anfrage werden nur die erlaubten Schlüssel überhaupt angefasst.
import math

import torch
from torch import nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.breite = hidden_dim
        self.anfrage = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.schluessel = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wert = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.ausgang = nn.Linear(hidden_dim, hidden_dim)
        self.ausfall = nn.Dropout(dropout)

    def eine_anfrage(self, a, schluessel, werte):
        if schluessel.shape[0] == 0:          # nichts erlaubt: Nullvektor
            return torch.zeros_like(a)
        punkte = torch.mv(schluessel, a) / math.sqrt(self.breite)
        gewichte = self.ausfall(torch.softmax(punkte, 0))
        return torch.mv(werte.t(), gewichte)

    def forward(self, x, attention_mask=None):
        stapel, laenge, _ = x.shape
        if attention_mask is None:
            erlaubt = torch.ones(stapel, laenge, laenge, dtype=torch.bool, device=x.device)
        else:
            erlaubt = attention_mask.bool()

        alle = []
        for s in range(stapel):
            A, S, W = self.anfrage(x[s]), self.schluessel(x[s]), self.wert(x[s])
            zeilen = [
                self.eine_anfrage(A[i], S[erlaubt[s, i]], W[erlaubt[s, i]]) for i in range(laenge)
            ]
            alle.append(torch.stack(zeilen))
        return self.ausgang(torch.stack(alle))
