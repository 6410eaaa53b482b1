# wrong: attention-module mask-inverted line 27
import torch
from torch import nn


class MHA(nn.Module):
    def __init__(self, dim, heads, dropout=0.0):
        super().__init__()
        self.heads = heads
        d = dim // heads
        self.scale = d**-0.5
        self.wq = nn.Parameter(torch.randn(dim, heads, d) / dim**0.5)
        self.wk = nn.Parameter(torch.randn(dim, heads, d) / dim**0.5)
        self.wv = nn.Parameter(torch.randn(dim, heads, d) / dim**0.5)
        self.wo = nn.Parameter(torch.randn(heads, d, dim) / dim**0.5)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        q = torch.einsum("bte,ehd->bhtd", query, self.wq) * self.scale
        k = torch.einsum("bse,ehd->bhsd", key, self.wk)
        v = torch.einsum("bse,ehd->bhsd", value, self.wv)
        sim = torch.einsum("bhtd,bhsd->bhts", q, k)
        if attn_mask is not None:
            if attn_mask.dim() == 3:
                attn_mask = attn_mask.unflatten(0, (-1, self.heads))
            if attn_mask.dtype == torch.bool:
                sim = torch.where(attn_mask, sim, torch.finfo(sim.dtype).min)
            else:
                sim = sim + attn_mask
        if key_padding_mask is not None:
            sim = sim.masked_fill(key_padding_mask[:, None, None], torch.finfo(sim.dtype).min)
        attn = sim.softmax(-1)
        out = torch.einsum("bhts,bhsd,hde->bte", attn, v, self.wo)
        if not need_weights:
            return out, None
        return out, (attn.mean(1) if average_attn_weights else attn)
