# wrong: v3 dropout-before-softmax line 20
import torch
import torch.nn as nn


class MaskedSelfAttention(nn.Module):
    def __init__(self, d_model, dropout=0.1):
        super().__init__()
        self.WQ = nn.Linear(d_model, d_model)
        self.WK = nn.Linear(d_model, d_model)
        self.WV = nn.Linear(d_model, d_model)
        self.WO = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, x, mask=None):
        scores = self.WQ(x) @ self.WK(x).transpose(1, 2) / self.WQ.out_features ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        scores = self.dropout(scores)
        weights = self.softmax(scores)
        return self.WO(weights @ self.WV(x))
