# wrong: v3 mask-fill-zero line 23
import torch
import torch.nn as nn
import torch.nn.functional as F


class MaskedSelfAttention(nn.Module):
    def __init__(self, d_model, dropout=0.1):
        super().__init__()
        self.q_linear = nn.Linear(d_model, d_model)
        self.k_linear = nn.Linear(d_model, d_model)
        self.v_linear = nn.Linear(d_model, d_model)
        self.out = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(p=dropout)
        self.d_model = d_model

    def forward(self, x, mask=None):
        q = self.q_linear(x)
        k = self.k_linear(x)
        v = self.v_linear(x)
        scores = q.bmm(k.transpose(1, 2)) / self.d_model ** 0.5
        if mask is not None:
            scores = torch.where(mask == 0, torch.zeros_like(scores), scores)
        probs = self.drop(F.softmax(scores, dim=-1))
        return self.out(probs.bmm(v))
