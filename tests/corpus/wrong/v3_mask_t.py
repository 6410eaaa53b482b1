# wrong: v3 mask-transposed line 23
# マスクの向きを間違えた例
import math

import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, d_model, dropout=0.1):
        super().__init__()
        self.d_model = d_model
        self.fc_query = nn.Linear(d_model, d_model)
        self.fc_key = nn.Linear(d_model, d_model)
        self.fc_value = nn.Linear(d_model, d_model)
        self.fc_out = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        energy = self.fc_query(x).matmul(self.fc_key(x).transpose(-1, -2))
        energy = energy / math.sqrt(self.d_model)
        if mask is not None:
            mask = mask.permute(0, 2, 1)
            energy = energy.masked_fill(mask == 0, -1e10)
        prob = self.drop(nn.functional.softmax(energy, dim=-1))
        return self.fc_out(prob.matmul(self.fc_value(x)))
