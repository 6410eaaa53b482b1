from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

NEG = float("-inf")
DEFAULTS = {"p": 0.0, "bias": True}


class MultiheadAttention(nn.Module):
    """Heads one after another: each with layers of its own, joined by one output layer."""

    def __init__(self, embed_dim, num_heads, dropout=DEFAULTS["p"], bias=DEFAULTS["bias"]):
        super().__init__()
        self.opt = {**DEFAULTS, "n": num_heads, "e": embed_dim // num_heads, "p": dropout, "bias": bias}
        make = lambda: nn.ModuleList(
            [nn.Linear(embed_dim, self.opt["e"], bias=self.opt["bias"]) for _ in range(self.opt["n"])]
        )
        self.layers = nn.ModuleDict({"q": make(), "k": make(), "v": make()})
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=self.opt["bias"])

    def _pieces(self, attn_mask: Tensor | None):
        """For each head what is added to or hidden in its scores: (…, target, source)."""
        n = self.opt["n"]
        if attn_mask is None or attn_mask.dim() == 2:
            return [attn_mask] * n
        return [attn_mask[h::n] for h in range(n)]

    @staticmethod
    def _softmax(s: Tensor) -> Tensor:
        empty = (s == NEG).all(dim=-1, keepdim=True)
        return s.masked_fill(empty, 0.0).softmax(dim=-1)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
    ):
        outs, maps = [], []
        for h, piece in enumerate(self._pieces(attn_mask)):
            q = self.layers["q"][h](query)
            k = self.layers["k"][h](key)
            v = self.layers["v"][h](value)
            s = torch.bmm(q, k.mT) * self.opt["e"] ** -0.5
            if piece is not None:
                s = s.masked_fill(piece, NEG) if piece.dtype == torch.bool else s + piece
            if key_padding_mask is not None:
                s = s.masked_fill(key_padding_mask[:, None, :], NEG)
            w = self._softmax(s)
            maps.append(w)
            outs.append(torch.bmm(F.dropout(w, self.opt["p"], self.training), v))
        output = self.out_proj(torch.cat(outs, dim=-1))
        if not need_weights:
            return output, None
        stacked = torch.stack(maps, dim=1)
        return output, stacked.mean(dim=1) if average_attn_weights else stacked
