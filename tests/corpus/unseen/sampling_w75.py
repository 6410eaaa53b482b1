# Abtaster eines Sprachmodell-Servers
from __future__ import annotations

import torch
from torch import Tensor

MINUS_UNENDLICH = -torch.inf


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    werte = logits.gather(dim=1, index=tokens)
    gedrueckt = torch.where(werte > 0, werte / penalty, werte * penalty)
    return logits.scatter_(dim=1, index=tokens, src=gedrueckt)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    groesste, stellen = logits.topk(k, dim=1)
    leer = torch.full_like(logits, MINUS_UNENDLICH)
    return leer.scatter(1, stellen, groesste)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    ergebnis = torch.full_like(logits, MINUS_UNENDLICH)
    for zeile, ziel in zip(logits, ergebnis):
        anteile = torch.softmax(zeile, dim=0)
        rangfolge = torch.argsort(anteile, descending=True)
        summe = torch.cumsum(anteile[rangfolge], dim=0)
        anzahl = int((summe < p).sum()) + 1
        bleibt = rangfolge[:anzahl]
        ziel[bleibt] = zeile[bleibt]
    return ergebnis


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    anteile = torch.softmax(logits, dim=1)
    schwelle = p * anteile.max(dim=1, keepdim=True)[0]
    return torch.where(anteile >= schwelle, logits, MINUS_UNENDLICH)


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    if penalty != 1.0:
        logits = penalize(logits, tokens, penalty)
    logits = logits / temperature
    if top_k:
        logits = keep_top_k(logits, top_k)
    if top_p < 1.0:
        logits = keep_top_p(logits, top_p)
    if min_p > 0.0:
        logits = keep_min_p(logits, min_p)
    return torch.softmax(logits, dim=1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    gezogen = []
    for anteile, zahl in zip(probs, uniform):
        darueber = torch.nonzero(torch.cumsum(anteile, dim=0) > zahl)
        # reicht die Summe durch Rundung nicht, dann das letzte Zeichen
        gezogen.append(int(darueber[0]) if len(darueber) else len(anteile) - 1)
    return torch.tensor(gezogen, device=probs.device)
