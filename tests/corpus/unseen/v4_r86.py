import torch
import torch.nn as nn


class MaskedSoftmax(torch.autograd.Function):
    """softmax over the last axis of what `visible` shows, with its own backward"""

    @staticmethod
    def forward(ctx, scores, visible):
        lowest = torch.finfo(scores.dtype).min
        s = scores if visible is None else scores.masked_fill(visible.logical_not(), lowest)
        s = s - s.amax(-1, keepdim=True)
        e = s.exp()
        if visible is not None:
            e = e * visible
        total = e.sum(-1, keepdim=True)
        p = e / total.clamp_min(torch.finfo(scores.dtype).tiny)
        ctx.save_for_backward(p)
        return p

    @staticmethod
    def backward(ctx, grad):
        (p,) = ctx.saved_tensors
        inner = p * grad
        return inner - p * inner.sum(-1, keepdim=True), None


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.Wq = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        self.Wk = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        self.Wv = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        for w in self.parameters():
            nn.init.xavier_normal_(w)
        self.dropout = nn.Dropout(p=dropout)
        self.inv_sqrt_d = 1.0 / hidden_dim**0.5

    def forward(self, x, attention_mask=None):
        visible = None if attention_mask is None else attention_mask.bool()
        q = torch.einsum("bti,io->bto", x, self.Wq)
        k = torch.einsum("bti,io->bto", x, self.Wk)
        v = torch.einsum("bti,io->bto", x, self.Wv)
        scores = torch.einsum("bid,bjd->bij", q, k) * self.inv_sqrt_d
        weights = MaskedSoftmax.apply(scores, visible)
        return torch.einsum("bij,bjd->bid", self.dropout(weights), v)
