import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    """The cache is a dict: the source's keys and values, (b, s, h, k), and what of it is real."""

    def __init__(self, dim, heads):
        super().__init__()
        dh = dim // heads
        self.wq = nn.Parameter(torch.randn(heads, dim, dh) * dim**-0.5)
        self.wk = nn.Parameter(torch.randn(heads, dim, dh) * dim**-0.5)
        self.wv = nn.Parameter(torch.randn(heads, dim, dh) * dim**-0.5)
        self.wo = nn.Parameter(torch.randn(heads, dh, dim) * dim**-0.5)
        self.scale = dh**-0.5

    def read(self, src, lens):
        k = torch.einsum("bsd,hdk->bshk", src, self.wk)
        v = torch.einsum("bsd,hdk->bshk", src, self.wv)
        real = torch.arange(src.shape[1], device=src.device).expand(len(lens), -1) < lens.unsqueeze(1)
        return {"k": k, "v": v, "real": real}

    def forward(self, x, src, lens, state=None):
        if state is None:
            state = self.read(src, lens)
        q = torch.einsum("btd,hdk->bthk", x, self.wq) * self.scale
        att = torch.einsum("bthk,bshk->bhts", q, state["k"])
        att = torch.where(state["real"][:, None, None, :], att, float("-inf"))
        att = att - att.amax(dim=-1, keepdim=True)
        e = att.exp()
        p = e / e.sum(dim=-1, keepdim=True)
        y = torch.einsum("bhts,bshk->bthk", p, state["v"])
        return torch.einsum("bthk,hkd->btd", y, self.wo), state
