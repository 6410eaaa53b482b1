# right: mha
# constructor order: heads, dropout, width
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, num_heads, dropout, d_model):
        super().__init__()
        d_head, rest = divmod(d_model, num_heads)
        assert rest == 0
        self.shape = (num_heads, d_head)
        self.Wo = nn.Linear(d_model, d_model, bias=False)
        self.Wv = nn.Linear(d_model, d_model, bias=False)
        self.Wk = nn.Linear(d_model, d_model, bias=False)
        self.Wq = nn.Linear(d_model, d_model, bias=False)
        self.rate = dropout

    def forward(self, inputs, *, mask=None):
        split = inputs.shape[:-1] + self.shape
        q, k, v = [w(inputs).reshape(split) for w in (self.Wq, self.Wk, self.Wv)]
        # (b, t, h, d) x (b, s, h, d) -> (b, h, t, s)
        logits = torch.einsum("...thd,...shd->...hts", q, k) / self.shape[1] ** 0.5
        if mask is not None:
            logits = torch.where(mask == 0, torch.finfo(logits.dtype).min, logits)
        weights = torch.softmax(logits, dim=-1)
        if self.training and self.rate > 0:
            keep = torch.bernoulli(torch.ones_like(weights) * (1 - self.rate))
            weights = weights * keep * (1 / (1 - self.rate))
        out = torch.einsum("...hts,...shd->...thd", weights, v)
        return self.Wo(out.flatten(-2))
