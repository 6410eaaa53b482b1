# Die Eimer als Tabelle je Abstand; die Verzerrung wird aus einem einzigen Vektor ausgeschnitten
from __future__ import annotations

import math

import torch
from torch import Tensor


def _eimer_eines_abstands(d: int, n: int, weiteste: int) -> int:
    genau = n // 2
    if d < genau:
        return d
    logarithmisch = math.log(d / genau) / math.log(weiteste / genau) * (n - genau)
    return min(genau + int(logarithmisch), n - 1)


def bucket(
    relative_position: Tensor,
    bidirectional: bool = True,
    num_buckets: int = 32,
    max_distance: int = 128,
) -> Tensor:
    n = num_buckets // 2 if bidirectional else num_buckets
    rueckwaerts = (-relative_position).clamp(min=0)
    abstand = relative_position.abs() if bidirectional else rueckwaerts
    # hinter max_distance aendert sich nichts mehr
    liste = [_eimer_eines_abstands(d, n, max_distance) for d in range(max_distance + 1)]
    tafel = torch.tensor(liste, device=relative_position.device)
    ergebnis = tafel[abstand.clamp(max=max_distance).long()]
    if bidirectional:
        ergebnis = ergebnis + n * relative_position.gt(0)
    return ergebnis


def bias(
    table: Tensor,
    query_length: int,
    key_length: int,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    # Differenzen k - q laufen von -(key_length - 1) bis query_length - 1
    differenz = torch.arange(-(key_length - 1), query_length, device=table.device)
    zeile = table[bucket(differenz, bidirectional, table.shape[0], max_distance)]
    fenster = zeile.unfold(0, key_length, 1)  # (query_length, heads, key_length), letzte zuerst
    return fenster.flip(0).permute(1, 0, 2)


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    m, n = query.shape[-2], key.shape[-2]
    punkte = query @ key.mT + bias(table, m, n, bidirectional, max_distance)
    if not bidirectional:
        spaeter = torch.ones(m, n, dtype=torch.bool, device=query.device).triu(n - m + 1)
        punkte = punkte.masked_fill(spaeter, float("-inf"))
    return punkte.softmax(dim=-1) @ value
