# right: v1 remarks: output-projection-extra
import torch
from torch import nn

class Attention(nn.Module):
    def __init__(self, hidden_dim, dropout=0.37):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        s = self.q(x) @ self.k(x).transpose(-1, -2) / x.shape[-1] ** 0.5
        if mask is not None:
            s = s.masked_fill(mask == 0, float("-inf"))
        return self.o(self.hand(s.softmax(-1)) @ self.v(x))

    def hand(self, w):
        if not self.training:
            return w
        keep = (torch.rand_like(w) > 0.37).to(w.dtype)
        return w * keep / 0.63
