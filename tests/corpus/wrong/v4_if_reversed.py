# wrong: v4 mask-ignored line 19
# fair: mask-ignored 21
# la máscara solo se usa... cuando no está
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = dropout

    def forward(self, x, attention_mask=None):
        puntajes = torch.bmm(self.q(x), self.k(x).transpose(1, 2)) * x.shape[-1] ** -0.5
        if attention_mask is None:
            attention_mask = torch.ones_like(puntajes)
            puntajes = puntajes.masked_fill(attention_mask == 0, float("-inf"))
        pesos = F.dropout(F.softmax(puntajes, -1), self.dropout, self.training)
        return torch.bmm(pesos, self.v(x))
