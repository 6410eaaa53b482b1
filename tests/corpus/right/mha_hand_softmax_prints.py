# right: mha remarks: prints, fill-overflows-half
# Übungsblatt 5, Aufgabe 2: Multi-Head-Attention "zu Fuß"
import math
import torch
import torch.nn as nn

DEBUG = True

# Testdaten
B, T, D, H = 2, 3, 8, 2
beispiel = torch.randn(B, T, D)
maske = torch.ones(B, 1, T, T)
maske[:, :, :, -1] = 0


def stabiles_softmax(z):
    # größter Wert jeder Zeile wird abgezogen, damit exp nicht überläuft
    m, _ = z.max(dim=-1, keepdim=True)
    e = (z - m).exp()
    return e / e.sum(dim=-1, keepdim=True)


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0, "geht nicht auf"
        self.hidden_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.lin_q = nn.Linear(hidden_dim, hidden_dim)
        self.lin_k = nn.Linear(hidden_dim, hidden_dim)
        self.lin_v = nn.Linear(hidden_dim, hidden_dim)
        self.lin_o = nn.Linear(hidden_dim, hidden_dim)
        self.dropout_rate = dropout

    def forward(self, x, attention_mask=None):
        assert x.dim() == 3
        batch, laenge, breite = x.shape
        koepfe = []
        q_alle, k_alle, v_alle = self.lin_q(x), self.lin_k(x), self.lin_v(x)
        for kopf in range(self.num_heads):
            von = kopf * self.head_dim
            bis = von + self.head_dim
            q = q_alle[:, :, von:bis]
            k = k_alle[:, :, von:bis]
            v = v_alle[:, :, von:bis]
            punkte = torch.matmul(q, k.transpose(1, 2)) / math.sqrt(self.head_dim)
            assert punkte.shape == (batch, laenge, laenge)
            if attention_mask is not None:
                maske_kopf = attention_mask.expand(batch, self.num_heads, -1, -1)[:, kopf]
                punkte = punkte.masked_fill(maske_kopf == 0, -1e9)
            gewichte = stabiles_softmax(punkte)
            if self.training:
                behalten = torch.rand(gewichte.shape, device=gewichte.device) > self.dropout_rate
                gewichte = gewichte * behalten.to(gewichte.dtype) / (1.0 - self.dropout_rate)
            koepfe.append(torch.matmul(gewichte, v))
        zusammen = torch.cat(koepfe, dim=-1)
        if DEBUG:
            print(f"Köpfe zusammen: {tuple(zusammen.shape)}")
        return self.lin_o(zusammen)


netz = MultiHeadAttention(D, H)
print("Demo:", netz(beispiel, maske).shape)
