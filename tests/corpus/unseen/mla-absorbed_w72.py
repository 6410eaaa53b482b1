# Latente Aufmerksamkeit im Dekodierschritt; die Aufwaertsprojektionen werden absorbiert
from __future__ import annotations

import math

import torch
from torch import Tensor


def winkel(stellen: Tensor, breite: int) -> tuple[Tensor, Tensor]:
    i = torch.arange(breite // 2, device=stellen.device, dtype=torch.float32)
    w = stellen[..., None].float() * torch.exp(-math.log(10000.0) * 2 * i / breite)
    return w.cos(), w.sin()


def drehe(t: Tensor, stellen: Tensor) -> Tensor:
    co, si = (u.to(t.dtype) for u in winkel(stellen, t.shape[-1]))
    oben, unten = t.tensor_split(2, dim=-1)
    return torch.cat([oben * co - unten * si, unten * co + oben * si], dim=-1)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    return torch.cat([latent, drehe(key_rope, positions)], dim=-1)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    charge, koepfe, fragen, breite = query_content.shape
    drehbreite = query_rope.shape[-1]
    latentbreite = cache.shape[-1] - drehbreite
    hoch_k, hoch_v = kv_up.view(2, koepfe, breite, latentbreite)

    versatz = torch.arange(fragen, device=cache.device)
    stellen = lengths.to(cache.device).view(charge, 1) - fragen + versatz.view(1, fragen)
    q_latent = query_content @ hoch_k
    q_dreh = drehe(query_rope, stellen.unsqueeze(1))

    latente, drehschluessel = cache.split([latentbreite, drehbreite], dim=-1)
    punkte = q_latent @ latente.unsqueeze(1).mT + q_dreh @ drehschluessel.unsqueeze(1).mT
    punkte = punkte / math.sqrt(breite + drehbreite)
    spalten = torch.arange(cache.shape[1], device=cache.device)
    verdeckt = spalten.view(1, 1, 1, -1) > stellen.view(charge, 1, fragen, 1)
    anteile = punkte.masked_fill(verdeckt, float("-inf")).softmax(dim=-1)
    return (anteile @ latente.unsqueeze(1)) @ hoch_v.mT
