# right: v1
# -*- coding: utf-8 -*-
# Aufmerksamkeit, Übungsblatt 7, Aufgabe 2
import torch
import torch.nn as nn


class Selbstaufmerksamkeit(nn.Module):
    def __init__(self, embed_size):
        super(Selbstaufmerksamkeit, self).__init__()
        self.embed_size = embed_size
        self.fc_q = nn.Linear(embed_size, embed_size, bias=False)
        self.fc_k = nn.Linear(embed_size, embed_size, bias=False)
        self.fc_v = nn.Linear(embed_size, embed_size, bias=False)

    def punktprodukt(self, q, k, v):
        d_k = torch.tensor(k.size(-1), dtype=q.dtype, device=q.device)
        punkte = torch.einsum('bqd,bkd->bqk', q, k) / torch.sqrt(d_k)
        gewichte = torch.nn.functional.softmax(punkte, dim=-1)
        return torch.einsum('bqk,bkd->bqd', gewichte, v), gewichte

    def forward(self, eingabe):
        ausgabe, gewichte = self.punktprodukt(self.fc_q(eingabe), self.fc_k(eingabe), self.fc_v(eingabe))
        return ausgabe, gewichte
