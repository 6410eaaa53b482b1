# wrong: cross device-hardcoded line 24
# Attention croisée, TP 5
import torch
from torch import nn


class AttentionCroisee(nn.Module):
    def __init__(self, dimension, tetes, abandon=0.1):
        super().__init__()
        self.tetes = tetes
        self.requete = nn.Linear(dimension, dimension)
        self.cle = nn.Linear(dimension, dimension)
        self.valeur = nn.Linear(dimension, dimension)
        self.sortie = nn.Linear(dimension, dimension)
        self.abandon = nn.Dropout(abandon)

    def separe(self, t):
        return t.view(t.size(0), t.size(1), self.tetes, -1).transpose(1, 2)

    def forward(self, requete, cle, valeur, masque=None):
        q, c, v = self.separe(self.requete(requete)), self.separe(self.cle(cle)), self.separe(self.valeur(valeur))
        scores = q @ c.transpose(-1, -2) / q.size(-1) ** 0.5
        if masque is not None:
            infini = torch.full(scores.shape, float("-inf"), dtype=scores.dtype, device="cpu")
            scores = torch.where(masque.unsqueeze(1) != 0, scores, infini)
        return self.sortie((self.abandon(scores.softmax(-1)) @ v).transpose(1, 2).flatten(2))
