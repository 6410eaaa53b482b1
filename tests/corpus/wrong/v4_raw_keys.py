# wrong: v4 key-not-projected line 15
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        for name in ("Wq", "Wk", "Wv", "Wo"):
            setattr(self, name, nn.Linear(hidden_dim, hidden_dim))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q = self.Wq(x)
        k = x
        v = self.Wv(x)
        s = torch.einsum("btd,bsd->bts", q, k) / q.shape[-1] ** 0.5
        if attention_mask is not None:
            s = s.masked_fill(~attention_mask.bool(), float("-inf"))
        return self.Wo(torch.einsum("bts,bsd->btd", self.dropout(s.softmax(-1)), v))
