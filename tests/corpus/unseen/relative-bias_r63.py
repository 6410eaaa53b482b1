# Relative Lage wie in T5, aus kleinen Klassen
from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor


@dataclass(frozen=True)
class Eimer:
    """Die Eimer einer Richtung: n Stück, davon die erste Hälfte genau."""

    n: int
    weiteste: int

    @property
    def genau(self) -> int:
        return self.n // 2

    def nummer(self, abstand: Tensor) -> Tensor:
        m = self.genau
        # unterhalb von m wird der Logarithmus nicht gebraucht, nur die 0 muss weg
        log = torch.log(abstand.clamp(min=m).double() / m) / math.log(self.weiteste / m)
        fern = (m + (log * (self.n - m)).floor().long()).clamp_max(self.n - 1)
        nah = abstand.lt(m)
        return abstand * nah + fern * ~nah


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    lage = relative_position.long()
    if not bidirectional:
        return Eimer(num_buckets, max_distance).nummer(torch.relu(-lage))
    haelfte = num_buckets // 2
    nummer = Eimer(haelfte, max_distance).nummer(lage.abs())
    return torch.where(lage > 0, nummer + haelfte, nummer)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    # Alle Abstände in einer Reihe; jede Zeile der Matrix ist ein Fenster davon
    versatz = key_length - query_length
    reihe = torch.arange(-(key_length - 1), query_length, device=table.device)
    nummern = bucket(reihe, bidirectional, table.shape[0], max_distance)
    werte = F.embedding(nummern, table).movedim(-1, 0)              # (Köpfe, Tq + Tk - 1)
    i = torch.arange(query_length, device=table.device)[:, None] + versatz
    j = torch.arange(key_length, device=table.device)[None, :]
    return werte[:, j - i + key_length - 1]


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    zusatz = bias(table, query.size(2), key.size(2), bidirectional, max_distance)
    punkte = torch.matmul(query, key.transpose(2, 3)) + zusatz
    if not bidirectional:
        q_stelle = torch.arange(key.size(2) - query.size(2), key.size(2), device=query.device)
        k_stelle = torch.arange(key.size(2), device=query.device)
        punkte = torch.where(k_stelle <= q_stelle[:, None], punkte, float("-inf"))
    return torch.matmul(F.softmax(punkte, dim=-1), value)
