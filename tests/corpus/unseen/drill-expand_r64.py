# Kopien und Ansichten; je Funktion eine andere Art, Zahlen zu vervielfachen
from __future__ import annotations

import torch
from torch import Tensor
from torch.func import vmap


class Achse:
    """Namen für die Achsen von (Stapel, Kopf, Stelle, Tiefe)."""

    STAPEL, KOPF, STELLE, TIEFE = range(4)


def share_keys(key: Tensor, heads: int) -> Tensor:
    return key.unsqueeze(Achse.KOPF).expand(-1, heads, -1, -1)


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    kopien = key.unsqueeze(Achse.KOPF).repeat(1, heads, 1, 1)
    stumm = torch.tensor([head], device=key.device)
    return kopien.index_fill(Achse.KOPF, stumm, 0.0)


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    if repeats == 1:
        return key
    # neue Achse hinter den Köpfen, dann zusammenlegen: 0 0 1 1 2 2
    return torch.stack([key] * repeats, dim=Achse.KOPF + 1).flatten(1, 2)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    # Köpfe nach hinten, dort passt (heads,) von selbst
    hinten = scores.movedim(Achse.KOPF, -1)
    return torch.add(hinten, slopes).movedim(-1, Achse.KOPF)


def distances(positions: Tensor) -> Tensor:
    # für jede Stelle i (Zeile) der Abstand zu allen j
    return vmap(lambda hier: positions - hier)(positions)
