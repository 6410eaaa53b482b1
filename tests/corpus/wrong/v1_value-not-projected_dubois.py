# wrong: v1 value-not-projected line 19
import torch
from torch import nn


class AutoAttention(nn.Module):
    """Attention simple : chaque mot regarde tous les autres."""

    def __init__(self, dim):
        super().__init__()
        self.requete = nn.Linear(dim, dim)
        self.cle = nn.Linear(dim, dim)
        self.racine = dim ** 0.5

    def forward(self, x):
        r = self.requete(x)
        c = self.cle(x)
        poids = ((r @ c.transpose(-1, -2)) / self.racine).softmax(-1)
        return poids @ x
