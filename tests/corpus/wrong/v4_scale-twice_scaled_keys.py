# wrong: v4 scale-twice line 17
import math
import torch
from torch import nn

class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.d = hidden_dim
        self.q, self.k, self.v, self.o = (nn.Linear(hidden_dim, hidden_dim) for _ in range(4))
        self.drop = nn.Dropout(dropout)

    def attend(self, s):
        return torch.softmax(s, -1)

    def forward(self, x, attention_mask=None):
        s = self.q(x) @ (self.k(x) * self.d ** -0.5).mT / math.sqrt(self.d)
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, float("-inf"))
        return self.o(self.drop(self.attend(s)) @ self.v(x))
