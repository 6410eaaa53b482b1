# wrong: v3 dropout-missing line 19
import math
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        s = self.q(x) @ self.k(x).transpose(1, 2) / math.sqrt(x.shape[2])
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, -math.inf)
        w = torch.softmax(s, dim=-1)
        return self.o(w @ self.v(x))
