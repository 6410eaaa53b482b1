# wrong: v3 mask-ignored line 20, dropout-before-softmax line 21
# fair: dropout-before-softmax 21 22
import torch
from torch import nn
from torch.nn import functional as F


class MaskedAttention(nn.Module):
    def __init__(self, d, dropout=0.1):
        super().__init__()
        self.d = d
        self.project = nn.ModuleDict(dict(q=nn.Linear(d, d), k=nn.Linear(d, d), v=nn.Linear(d, d), o=nn.Linear(d, d)))
        self.regulariser = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        p = self.project
        q, k, v = p["q"](x), p["k"](x), p["v"](x)
        score = q @ k.transpose(1, 2) * self.d ** -0.5
        if mask is not None:
            torch.masked_fill(score, mask == 0, -1e9)
        score = self.regulariser(score)
        a = F.softmax(score, dim=-1)
        return p["o"](a @ v)
