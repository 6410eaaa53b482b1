# right: v4
# Selbstaufmerksamkeit mit Maske und Dropout, ohne Ausgabeschicht
import math

import torch
import torch.nn as nn

MINUS_UNENDLICH = float("-inf")


def maskiere(werte: torch.Tensor, maske: torch.Tensor | None) -> torch.Tensor:
    """Setzt alle Stellen, an denen die Maske null ist, auf minus unendlich."""
    if maske is None:
        return werte
    return werte.masked_fill(maske == 0, MINUS_UNENDLICH)


class Selbstaufmerksamkeit(nn.Module):
    def __init__(self, breite: int, ausfall: float = 0.1):
        super().__init__()
        self.breite = breite
        self.anfrage, self.schluessel, self.wert = (nn.Linear(breite, breite) for _ in range(3))
        self.ausfall = nn.Dropout(ausfall)

    def forward(self, eingabe: torch.Tensor, maske: torch.Tensor | None = None) -> torch.Tensor:
        anfragen = self.anfrage(eingabe) / math.sqrt(self.breite)
        bewertung = maskiere(torch.bmm(anfragen, self.schluessel(eingabe).transpose(1, 2)), maske)
        gewichte = self.ausfall(torch.softmax(bewertung, dim=-1))
        return torch.bmm(gewichte, self.wert(eingabe))
