# right: v4
# Auto-attention avec masque ; 1 = visible, 0 = caché.
import torch
from einops import einsum, rearrange
from torch import nn


class AutoAttention(nn.Module):
    def __init__(self, dim, taux=0.1):
        super().__init__()
        self.vers_qkv = nn.Linear(dim, 3 * dim)
        self.vers_sortie = nn.Linear(dim, dim)
        self.oubli = nn.Dropout(taux)
        self.echelle = dim ** -0.5

    def forward(self, x, masque=None):
        q, k, v = rearrange(self.vers_qkv(x), "b t (trois d) -> trois b t d", trois=3)
        scores = einsum(q, k, "b i d, b j d -> b i j") * self.echelle
        if masque is not None:
            scores = scores.masked_fill(masque.logical_not(), torch.finfo(scores.dtype).min)
        poids = self.oubli(scores.softmax(dim=-1))
        return self.vers_sortie(einsum(poids, v, "b i j, b j d -> b i d"))
