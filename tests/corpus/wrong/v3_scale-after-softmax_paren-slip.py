# wrong: v3 scale-after-softmax line 21
from math import sqrt
import torch as th
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.fc_q = nn.Linear(hidden_dim, hidden_dim)
        self.fc_k = nn.Linear(hidden_dim, hidden_dim)
        self.fc_v = nn.Linear(hidden_dim, hidden_dim)
        self.fc_o = nn.Linear(hidden_dim, hidden_dim)
        self.do = nn.Dropout(dropout)
        self.root = sqrt(hidden_dim)

    def forward(self, x, attention_mask=None):
        energy = th.bmm(self.fc_q(x), self.fc_k(x).permute(0, 2, 1))
        if attention_mask is not None:
            energy = energy.masked_fill(attention_mask == 0, -1e10)
        attention = th.softmax(energy, dim=-1) / self.root
        return self.fc_o(th.bmm(self.do(attention), self.fc_v(x)))
