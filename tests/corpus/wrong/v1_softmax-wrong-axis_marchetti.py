# wrong: v1 softmax-wrong-axis line 20
import numpy as np
import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    # testa singola, senza maschera
    def __init__(self, dimensione):
        super().__init__()
        self.wq = nn.Linear(dimensione, dimensione)
        self.wk = nn.Linear(dimensione, dimensione)
        self.wv = nn.Linear(dimensione, dimensione)

    def forward(self, x):
        interrogazioni = self.wq(x)
        chiavi = self.wk(x)
        valori = self.wv(x)
        punteggi = interrogazioni @ chiavi.mT / np.sqrt(interrogazioni.shape[-1])
        pesi = nn.Softmax(dim=1)(punteggi)
        return pesi @ valori
