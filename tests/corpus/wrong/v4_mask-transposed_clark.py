# wrong: v4 mask-transposed line 19
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.dropout_p = dropout

    def forward(self, x, attention_mask=None):
        logits = torch.einsum("bic,bjc->bij", self.q(x), self.k(x)) / x.shape[-1] ** 0.5
        if attention_mask is not None:
            keep = attention_mask.bool().transpose(-2, -1)
            logits = torch.where(keep, logits, torch.full_like(logits, -torch.inf))
        w = F.dropout(F.softmax(logits, dim=-1), p=self.dropout_p, training=self.training)
        return self.o(torch.einsum("bij,bjc->bic", w, self.v(x)))
