# wrong: v3 dropout-in-eval line 28
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV3(nn.Module):
    """Auto-atenção com máscara.

    hidden_dim: dimensão oculta
    dropout: taxa aplicada aos pesos
    """

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim, self.p = hidden_dim, dropout
        self.lin_q = nn.Linear(hidden_dim, hidden_dim)
        self.lin_k = nn.Linear(hidden_dim, hidden_dim)
        self.lin_v = nn.Linear(hidden_dim, hidden_dim)
        self.lin_o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        pontos = torch.einsum("bqc,bkc->bqk", self.lin_q(x), self.lin_k(x))
        pontos = pontos / self.hidden_dim ** 0.5
        if attention_mask is not None:
            pontos = pontos.masked_fill(attention_mask == 0, torch.finfo(pontos.dtype).min)
        pesos = F.softmax(pontos, dim=-1)
        pesos = F.dropout(pesos, self.p)
        return self.lin_o(torch.einsum("bqk,bkc->bqc", pesos, self.lin_v(x)))
