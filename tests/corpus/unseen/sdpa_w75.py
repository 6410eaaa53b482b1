from __future__ import annotations

import torch
from torch import Tensor


def sichtbar(anfragen: int, schluessel: int, mask: Tensor | None, causal: bool, ort) -> Tensor:
    """Wahr, wo eine Anfrage einen Schluessel sehen darf."""
    erlaubt = torch.ones(anfragen, schluessel, dtype=torch.bool, device=ort)
    if causal:
        zeile = torch.arange(schluessel - anfragen, schluessel, device=ort).unsqueeze(1)
        spalte = torch.arange(schluessel, device=ort).unsqueeze(0)
        erlaubt = erlaubt & (spalte <= zeile)
    if mask is not None:
        erlaubt = erlaubt & (mask != 0)
    return erlaubt


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    *_, schluessel, breite = value.shape
    anfragen = query.shape[-2]
    punkte = torch.einsum("bhid,bhjd->bhij", query, key) / breite**0.5
    erlaubt = sichtbar(anfragen, schluessel, mask, causal, query.device)
    punkte = torch.where(erlaubt, punkte, torch.finfo(punkte.dtype).min)
    anteile = torch.softmax(punkte, dim=-1)
    return torch.einsum("bhij,bhje->bhie", anteile, value)
