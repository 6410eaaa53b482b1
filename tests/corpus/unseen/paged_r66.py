# alle Sequenzen auf einmal: flacher Index in den Vorrat, dann gewoehnliche Aufmerksamkeit
from __future__ import annotations

import math

import torch
from torch import Tensor


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    charge, koepfe, breite = query.shape
    _, blockgroesse, kv_koepfe, _ = key_pool.shape
    tabelle = block_table.to(torch.int64)
    laengen = lengths.to(query.device)

    zeichen = torch.arange(int(laengen.max()), device=query.device)
    nummern = tabelle[:, zeichen // blockgroesse]  # (charge, zeichen)
    plaetze = nummern * blockgroesse + zeichen % blockgroesse
    k = key_pool.flatten(0, 1)[plaetze]  # (charge, zeichen, kv, breite)
    v = value_pool.flatten(0, 1)[plaetze]

    q = query.view(charge, kv_koepfe, koepfe // kv_koepfe, breite)
    punkte = torch.einsum("bkgd,btkd->bkgt", q, k) / math.sqrt(breite)
    fremd = zeichen >= laengen[:, None]
    punkte = punkte.masked_fill(fremd[:, None, None], float("-inf"))
    anteile = torch.softmax(punkte.float() if punkte.itemsize < 4 else punkte, dim=-1)
    # fremde Werte koennen beliebig sein: auf 0, damit 0 * inf nicht stoert
    v = v.masked_fill(fremd[:, :, None, None], 0)
    ergebnis = torch.einsum("bkgt,btkd->bkgd", anteile.to(v.dtype), v)
    return ergebnis.reshape(charge, koepfe, breite)
