# wrong: v3 output-projection-missing line 21
# Selbstaufmerksamkeit, zweite Fassung
import torch
from torch import nn


class Selbstaufmerksamkeit(nn.Module):
    def __init__(self, breite, ausfall=0.1):
        super().__init__()
        self.anfrage = nn.Linear(breite, breite)
        self.schluessel = nn.Linear(breite, breite)
        self.wert = nn.Linear(breite, breite)
        self.ausfall = nn.Dropout(ausfall)
        self.wurzel = breite ** 0.5

    def forward(self, x, maske=None):
        bewertung = self.anfrage(x) @ self.schluessel(x).transpose(1, 2) / self.wurzel
        if maske is not None:
            bewertung = bewertung.masked_fill(maske == 0, -1e9)
        gewichte = self.ausfall(bewertung.softmax(-1))
        return gewichte @ self.wert(x)
