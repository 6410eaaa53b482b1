# right: v1 remarks: output-projection-extra
import torch
from torch import nn

class Attention(nn.Module):
    def __init__(self, hidden_dim, dropout=0.3):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        s = self.q(x) @ self.k(x).transpose(-1, -2) / x.shape[-1] ** 0.5
        if mask is not None:
            s = s.masked_fill(mask == 0, -1e9)
        return self.o(self.drop(s.softmax(-1)) @ self.v(x))
