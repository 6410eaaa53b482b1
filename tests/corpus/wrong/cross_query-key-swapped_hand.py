# wrong: cross query-key-swapped line 23
# fair: query-key-swapped 23 24
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class CrossAttentionLayer(nn.Module):
    """L'attention croisée : la cible interroge la source."""

    def __init__(self, dim, n_head, dropout=0.1):
        super().__init__()
        self.n_head = n_head
        self.fc_q = nn.Linear(dim, dim)
        self.fc_k = nn.Linear(dim, dim)
        self.fc_v = nn.Linear(dim, dim)
        self.fc_out = nn.Linear(dim, dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        bs = query.size(0)
        requete = self.fc_k(query).view(bs, query.size(1), self.n_head, -1).transpose(1, 2)
        cle = self.fc_q(key).view(bs, key.size(1), self.n_head, -1).transpose(1, 2)
        valeur = self.fc_v(value).view(bs, value.size(1), self.n_head, -1).transpose(1, 2)

        score = torch.matmul(requete, cle.transpose(2, 3)) / math.sqrt(requete.size(-1))
        if mask is not None:
            score = score.masked_fill(mask.unsqueeze(1) == 0, float("-inf"))
        poids = self.dropout(F.softmax(score, dim=-1))
        contexte = torch.matmul(poids, valeur).transpose(1, 2).contiguous()
        return self.fc_out(contexte.view(bs, query.size(1), -1))
