# Zerlegte Dekodierung: jedes Stueck fuer sich, dann ueber die Log-Summen zusammengefuehrt
from __future__ import annotations

import math

import torch
from torch import Tensor


def chunk_attention(
    query: Tensor, key: Tensor, value: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor]:
    punkte = query @ key.transpose(2, 3) / math.sqrt(query.shape[3])
    verdeckt = torch.logical_not(seen)[:, None, None]
    punkte = punkte.masked_fill(verdeckt, torch.finfo(punkte.dtype).min)
    spitze = punkte.amax(dim=3, keepdim=True)
    e = torch.exp(punkte - spitze)
    summe = e.sum(dim=3, keepdim=True)
    ausgabe = (e / summe) @ value
    return ausgabe, (spitze + torch.log(summe)).squeeze(3)


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    spitze = lses.amax(dim=0)
    fest = torch.where(torch.isinf(spitze), torch.zeros_like(spitze), spitze)
    gewicht = torch.exp(lses - fest)
    summe = gewicht.sum(dim=0)
    geteilt = torch.where(summe > 0, summe, torch.ones_like(summe))
    zusammen = (outputs * gewicht[..., None]).sum(dim=0) / geteilt[..., None]
    return zusammen, fest + torch.log(summe)


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    gesamt = key.shape[2]
    grenzen = [round(i * gesamt / splits) for i in range(splits + 1)]
    platz = torch.arange(gesamt, device=key.device)
    belegt = platz < lengths.to(key.device).unsqueeze(1)
    stuecke = []
    for von, bis in zip(grenzen[:-1], grenzen[1:]):
        if von == bis:
            continue
        stuecke.append(
            chunk_attention(query, key[:, :, von:bis], value[:, :, von:bis], belegt[:, von:bis])
        )
    ausgaben = torch.stack([o for o, _ in stuecke])
    logs = torch.stack([l for _, l in stuecke])
    return merge(ausgaben, logs)[0]
