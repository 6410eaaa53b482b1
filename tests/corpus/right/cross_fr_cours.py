# right: cross
# TP 4 : attention croisée entre deux suites de longueurs différentes
import torch
from torch import nn


class AttentionCroisee(nn.Module):
    def __init__(self, dimension: int, tetes: int, abandon: float = 0.1):
        super().__init__()
        self.tetes = tetes
        self.echelle = (dimension // tetes) ** -0.5
        self.projections = nn.ModuleDict()
        for nom in ("requete", "cle", "valeur", "sortie"):
            self.projections[nom] = nn.Linear(dimension, dimension)
        self.abandon = nn.Dropout(abandon)

    def en_tetes(self, nom, suite):
        lot, longueur, _ = suite.shape
        return self.projections[nom](suite).view(lot, longueur, self.tetes, -1).transpose(1, 2)

    def forward(self, requete, cle, valeur, masque=None):
        q = self.en_tetes("requete", requete)
        c = self.en_tetes("cle", cle)
        v = self.en_tetes("valeur", valeur)
        scores = (q * self.echelle) @ c.transpose(-2, -1)
        if masque is not None:
            interdit = masque.unsqueeze(1).logical_not()
            scores = scores.masked_fill(interdit, torch.finfo(scores.dtype).min)
        poids = self.abandon(scores.softmax(dim=-1))
        contexte = (poids @ v).transpose(1, 2)
        return self.projections["sortie"](contexte.flatten(-2))
