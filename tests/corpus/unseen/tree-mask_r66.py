# Baum-Aufmerksamkeit: alle Token steigen gleichzeitig zur Wurzel, ein Schritt je Runde
from __future__ import annotations

import torch
from torch import Tensor


def tree_mask(back: Tensor) -> Tensor:
    n = back.shape[0]
    nummern = torch.arange(n, device=back.device)
    eltern = torch.cat([nummern - back, back.new_full((1,), -1)])  # der letzte: die Wurzel selbst
    eltern = torch.where(eltern < 0, n, eltern)
    stand = nummern.clone()
    maske = torch.zeros(n, n + 1, dtype=torch.bool, device=back.device)
    for _ in range(n):
        maske[nummern, stand] = True
        stand = eltern[stand]
    return maske[:, :n]


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    entwurf = query.shape[-2]
    vorspann = key.shape[-2] - entwurf
    baum = tree_mask(back).to(query.device)
    punkte = query @ key.mT / query.shape[-1] ** 0.5
    frei, geprueft = punkte.split([vorspann, entwurf], dim=-1)
    geprueft = geprueft.masked_fill(~baum, -torch.inf)
    return torch.cat([frei, geprueft], dim=-1).softmax(-1) @ value
