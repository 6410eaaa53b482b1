# wrong: v3 dropout-missing line 26
import torch
from torch import nn

# Самовнимание с маской и выходной проекцией


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.Wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.drop = nn.Dropout(dropout)
        self.temp = hidden_dim ** 0.5

    def forward(self, x, attention_mask=None):
        # запрос, ключ, значение
        Q = self.Wq(x)
        K = self.Wk(x)
        V = self.Wv(x)
        A = Q.matmul(K.mT) / self.temp
        if attention_mask is not None:
            A = A.masked_fill(attention_mask == 0, float("-inf"))
        A = A.softmax(dim=-1)
        out = A.matmul(V)
        # выходная проекция
        return self.Wo(out)
