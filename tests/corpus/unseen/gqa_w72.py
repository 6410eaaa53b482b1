# Gruppierte Anfragen: mehrere Anfrageköpfe teilen sich einen Schlüssel- und Wertkopf.
import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int):
        super().__init__()
        assert hidden_dim % num_heads == 0, "Breite nicht durch Köpfe teilbar"
        assert num_heads % num_kv_heads == 0, "Köpfe nicht durch Gruppen teilbar"
        self.gruppen = num_kv_heads
        self.je_gruppe = num_heads // num_kv_heads
        self.kopf = hidden_dim // num_heads
        self.breiten = [num_heads * self.kopf, num_kv_heads * self.kopf, num_kv_heads * self.kopf]
        self.qkv = nn.Linear(hidden_dim, sum(self.breiten))
        self.ausgabe = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        B, T, _ = x.shape
        G, R, D = self.gruppen, self.je_gruppe, self.kopf
        q, k, v = self.qkv(x).split(self.breiten, dim=-1)
        q = q.view(B, T, G, R, D).permute(0, 2, 3, 1, 4)           # B G R T D
        k = k.view(B, T, G, 1, D).permute(0, 2, 3, 1, 4)           # B G 1 T D
        v = v.view(B, T, G, 1, D).permute(0, 2, 3, 1, 4)
        punkte = q @ k.transpose(-2, -1) * D**-0.5                 # B G R T T
        if attention_mask is not None:
            # Kopfachse in Gruppe und Platz zerlegen, falls es eine Maske je Kopf ist
            form = (G, R) if attention_mask.size(1) > 1 else (1, 1)
            punkte = punkte.masked_fill(attention_mask.unflatten(1, form) == 0, -torch.inf)
        kontext = punkte.softmax(dim=-1) @ v
        # Zeit nach vorn, Köpfe nebeneinander
        kontext = kontext.permute(0, 3, 2, 1, 4).reshape(B, T, G * R * D)
        return self.ausgabe(kontext)
