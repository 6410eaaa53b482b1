import torch
import torch.nn as nn


class MaskedSoftmax(nn.Module):
    """softmax over the last axis that never turns an empty row into nan"""

    def __init__(self, p):
        super().__init__()
        self.p = nn.Dropout(p)

    def forward(self, logits, keep=None):
        if keep is not None:
            hidden = keep.to(torch.bool).logical_not()
            logits = logits.masked_fill(hidden, torch.finfo(logits.dtype).min)
        e = torch.exp(logits - logits.amax(dim=-1, keepdim=True))
        return self.p(e / e.sum(dim=-1, keepdim=True))


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q, self.kv = nn.Linear(hidden_dim, hidden_dim), nn.Linear(hidden_dim, 2 * hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.attend = MaskedSoftmax(dropout)

    @property
    def scale(self):
        return self.q.out_features ** -0.5

    def forward(self, x, attention_mask=None):
        q = self.q(x) * self.scale
        k, v = self.kv(x).chunk(2, -1)
        weights = self.attend(torch.einsum("bqd,bkd->bqk", q, k), attention_mask)
        return self.o(weights.matmul(v))
