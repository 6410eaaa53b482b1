# wrong: v3 query-not-projected line 16
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.anahtar_k = nn.Linear(hidden_dim, hidden_dim)
        self.anahtar_v = nn.Linear(hidden_dim, hidden_dim)
        self.cikis = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        k, v = self.anahtar_k(x), self.anahtar_v(x)
        skor = x @ k.transpose(1, 2) / k.shape[-1] ** 0.5
        if attention_mask is not None:
            skor = skor.masked_fill(attention_mask == 0, float("-inf"))
        return self.cikis(self.drop(skor.softmax(-1)) @ v)
