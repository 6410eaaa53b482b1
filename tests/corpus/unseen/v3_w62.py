# attn-kata: v3
import torch
from torch import nn


class SelfAttentionV3(nn.Module):
    """Selbstaufmerksamkeit: Maske, Dropout auf den Gewichten, Ausgangsprojektion."""

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.drop = nn.Dropout(p=dropout)
        self.ausgang = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        # x: (batch, laenge, dim)
        q, k, v = torch.split(self.qkv(x), self.hidden_dim, dim=-1)

        punkte = torch.einsum("bid,bjd->bij", q, k)
        punkte = punkte / self.hidden_dim ** 0.5

        if attention_mask is not None:
            # 1 -> 0 (erlaubt), 0 -> sehr kleine Zahl (verboten)
            verboten = 1 - attention_mask
            malus = verboten.to(punkte.dtype) * torch.finfo(punkte.dtype).min
            punkte = punkte + malus

        gewichte = torch.softmax(punkte, dim=-1)
        gewichte = self.drop(gewichte)
        kontext = torch.einsum("bij,bjd->bid", gewichte, v)
        return self.ausgang(kontext)
