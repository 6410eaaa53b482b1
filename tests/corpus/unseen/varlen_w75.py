# Gepackte Sequenzen; die Stuecke entstehen durch split
from __future__ import annotations

import math

import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    grenzen = lengths.new_zeros(len(lengths) + 1, dtype=torch.int64)
    grenzen[1:] = lengths.cumsum(0)
    return grenzen


def document_mask(lengths: Tensor, total: int) -> Tensor:
    maske = torch.zeros(total, total, dtype=torch.bool, device=lengths.device)
    grenzen = cumulative_lengths(lengths).tolist()
    for von, bis in zip(grenzen[:-1], grenzen[1:]):
        maske[von:bis, von:bis] = True
    return maske


def einzeln(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    q, k, v = q.movedim(0, 1), k.movedim(0, 1), v.movedim(0, 1)  # (koepfe, laenge, breite)
    punkte = q @ k.mT / math.sqrt(q.shape[-1])
    if causal:
        zukunft = torch.ones(punkte.shape[-2:], dtype=torch.bool, device=q.device).triu(1)
        punkte = punkte.masked_fill(zukunft, float("-inf"))
    return (punkte.softmax(dim=-1) @ v).movedim(0, 1)


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    groessen = lengths.tolist()
    groessen.append(query.shape[0] - sum(groessen))
    stuecke = zip(query.split(groessen), key.split(groessen), value.split(groessen))
    return torch.cat([einzeln(q, k, v, causal) for q, k, v in stuecke], dim=0)
