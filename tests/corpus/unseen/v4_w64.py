# Einfache Aufmerksamkeit (ein Kopf).
# Eingabe (B, L, D), Maske (B, L, L): 1 = darf hinsehen, 0 = darf nicht.
import torch
from torch import nn

KLEIN = 1e-9


class Skalierung:
    def __init__(self, breite):
        self.faktor = breite ** -0.5

    def __call__(self, t):
        return t * self.faktor


class Maskierung:
    """Setzt gesperrte Paare auf einen festen Wert."""

    def __call__(self, punkte, maske):
        if maske is None:
            return punkte
        return punkte.masked_fill(maske.eq(0), KLEIN)


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        # Q, K und V in einer Matrix, danach in drei Teile zerlegt
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.dropout = nn.Dropout(p=dropout)
        self.skaliere = Skalierung(hidden_dim)
        self.maskiere = Maskierung()

    def forward(self, x, attention_mask=None):
        q, k, v = self.qkv(x).chunk(3, dim=-1)            # je (B, L, D)
        punkte = self.skaliere(torch.bmm(q, k.mT))        # (B, L, L)
        punkte = self.maskiere(punkte, attention_mask)
        gewichte = self.dropout(punkte.softmax(dim=-1))   # Zeilensumme 1
        return torch.bmm(gewichte, v)                     # (B, L, D)
