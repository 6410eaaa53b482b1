# wrong: v3 dropout-in-eval line 20
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = dropout

    def forward(self, x, attention_mask=None):
        logits = self.wq(x) @ self.wk(x).mT / x.shape[-1] ** 0.5
        if attention_mask is not None:
            logits.masked_fill_(attention_mask == 0, float("-inf"))
        probs = F.dropout(F.softmax(logits, -1), self.dropout)
        return self.wo(probs @ self.wv(x))
