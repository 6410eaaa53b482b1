# wrong: v3 mask-fill-zero line 19
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        puntajes = torch.bmm(self.wq(x), self.wk(x).transpose(1, 2)) / x.shape[-1] ** 0.5
        if attention_mask is not None:
            # las posiciones prohibidas quedan en cero
            puntajes = torch.where(attention_mask != 0, puntajes, torch.zeros_like(puntajes))
        pesos = self.dropout(puntajes.softmax(dim=-1))
        return self.wo(torch.bmm(pesos, self.wv(x)))
