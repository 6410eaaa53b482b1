# wrong: v3 mask-after-softmax line 21
import torch
from torch import nn


class SelfAttentionV3(nn.Module):
    def __init__(self, d_model, dropout_rate=0.1):
        super().__init__()
        self.q = nn.Linear(d_model, d_model, bias=False)
        self.k = nn.Linear(d_model, d_model, bias=False)
        self.v = nn.Linear(d_model, d_model, bias=False)
        self.o = nn.Linear(d_model, d_model, bias=False)
        self.dropout = nn.Dropout(dropout_rate)
        self.d_model = d_model

    def forward(self, hidden_states, mask=None):
        q, k, v = self.q(hidden_states), self.k(hidden_states), self.v(hidden_states)
        scores = torch.einsum("btd,bsd->bts", q, k) / self.d_model**0.5
        probs = torch.softmax(scores, dim=-1)
        if mask is not None:
            probs = probs * mask.to(probs.dtype)
        probs = self.dropout(probs)
        return self.o(torch.einsum("bts,bsd->btd", probs, v))
