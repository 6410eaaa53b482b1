# wrong: v3 dropout-in-eval line 20, output-projection-missing line 21
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.Wq = nn.Parameter(torch.randn(hidden_dim, hidden_dim) * 0.02)
        self.Wk = nn.Parameter(torch.randn(hidden_dim, hidden_dim) * 0.02)
        self.Wv = nn.Parameter(torch.randn(hidden_dim, hidden_dim) * 0.02)
        self.dropout = dropout

    def forward(self, x, attention_mask=None):
        Q, K, V = x @ self.Wq, x @ self.Wk, x @ self.Wv
        S = Q @ K.mT / K.shape[-1] ** 0.5
        if attention_mask is not None:
            S = S.masked_fill(attention_mask == 0, -torch.inf)
        A = F.dropout(S.softmax(-1), self.dropout)
        return A @ V
