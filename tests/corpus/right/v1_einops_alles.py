# right: v1
# Einfache Selbstaufmerksamkeit, alles mit einops.einsum
from einops import einsum
from torch import nn


class Selbstaufmerksamkeit(nn.Module):
    def __init__(self, breite: int):
        super().__init__()
        self.breite = breite
        self.anfrage = nn.Linear(breite, breite)
        self.schluessel = nn.Linear(breite, breite)
        self.wert = nn.Linear(breite, breite)

    def forward(self, eingabe):
        a, s, w = self.anfrage(eingabe), self.schluessel(eingabe), self.wert(eingabe)
        # Punktzahlen: jede Anfrage gegen jeden Schlüssel
        punkte = einsum(a, s, "b i d, b j d -> b i j") / self.breite**0.5
        return einsum(punkte.softmax(dim=-1), w, "b i j, b j d -> b i d")
