# Latente Aufmerksamkeit, absorbiert: Schluessel und Werte werden nie gebildet
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim) -> None:
        super().__init__()
        std = hidden_dim**-0.5
        self.koepfe = num_heads
        self.w_frage = nn.Parameter(torch.randn(num_heads, hidden_dim, head_dim) * std)
        self.w_frage_dreh = nn.Parameter(torch.randn(num_heads, hidden_dim, rope_dim) * std)
        self.w_latent = nn.Parameter(torch.randn(hidden_dim, latent_dim) * std)
        self.w_dreh = nn.Parameter(torch.randn(hidden_dim, rope_dim) * std)
        self.w_schluessel = nn.Parameter(torch.randn(num_heads, latent_dim, head_dim) * std)
        self.w_wert = nn.Parameter(torch.randn(num_heads, latent_dim, head_dim) * std)
        self.w_aus = nn.Parameter(torch.randn(num_heads, head_dim, hidden_dim) * std)

    @staticmethod
    def drehen(t: Tensor, stellen: Tensor) -> Tensor:
        # ueber komplexe Zahlen; gerechnet wird mindestens in float32
        weit = t.double() if t.dtype == torch.float64 else t.float()
        halb = t.shape[-1] // 2
        z = torch.complex(weit[..., :halb].contiguous(), weit[..., halb:].contiguous())
        rate = torch.arange(halb, device=t.device, dtype=weit.dtype).mul(-math.log(1e4) / halb).exp()
        winkel = stellen.to(weit.dtype)[:, None] * rate
        z = z * torch.polar(torch.ones_like(winkel), winkel)
        return torch.cat([z.real, z.imag], dim=-1).to(t.dtype)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        alt = cache["latent"].shape[1] if cache else 0
        neu = x.shape[1]
        stellen = torch.arange(alt, alt + neu, device=x.device)
        speicher = {
            "latent": x @ self.w_latent,
            "dreh": self.drehen(x @ self.w_dreh, stellen),
        }
        if cache:
            speicher = {n: torch.cat([cache[n], t], dim=1) for n, t in speicher.items()}
        c, r = speicher["latent"], speicher["dreh"]

        frage = torch.einsum("btm,hmd->bhtd", x, self.w_frage)
        frage_dreh = self.drehen(torch.einsum("btm,hmd->bhtd", x, self.w_frage_dreh), stellen)
        im_latenten = torch.einsum("bhtd,hcd->bhtc", frage, self.w_schluessel)
        punkte = torch.einsum("bhtc,bsc->bhts", im_latenten, c)
        punkte = punkte + torch.einsum("bhtr,bsr->bhts", frage_dreh, r)
        punkte = punkte / math.sqrt(frage.shape[-1] + frage_dreh.shape[-1])
        zukunft = torch.arange(alt + neu, device=x.device) > stellen[:, None]
        anteile = punkte.masked_fill(zukunft, float("-inf")).softmax(-1)
        gemischt = torch.einsum("bhts,bsc->bhtc", anteile, c)
        ergebnis = torch.einsum("bhtc,hcd,hdm->btm", gemischt, self.w_wert, self.w_aus)
        return ergebnis, speicher
