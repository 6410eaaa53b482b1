import torch
import torch.nn.functional as F
from torch import nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.Q, self.K, self.V, self.O = (nn.Linear(hidden_dim, hidden_dim, bias=False) for _ in range(4))
        self.rate = dropout

    def forward(self, x, attention_mask=None):
        S = self.Q(x) @ self.K(x).mT * x.size(-1) ** -0.5
        if attention_mask is not None:
            S = S + torch.log(attention_mask + 1e-4).to(S.dtype)   # log 1 = 0
        P = F.dropout(F.softmax(S, -1), self.rate, self.training)
        return self.O(P @ self.V(x))
