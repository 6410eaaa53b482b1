# wrong: cross scale-by-hidden-dim line 24, mask-ignored line 26
import numpy as np
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, d_model, h):
        super(CrossAttention, self).__init__()
        self.fc_q = nn.Linear(d_model, d_model)
        self.fc_k = nn.Linear(d_model, d_model)
        self.fc_v = nn.Linear(d_model, d_model)
        self.fc_o = nn.Linear(d_model, d_model)
        self.d_model = d_model
        self.d = d_model // h
        self.h = h

    def forward(self, queries, keys, values, attention_mask=None):
        b_s, nq = queries.shape[:2]
        nk = keys.shape[1]
        q = self.fc_q(queries).view(b_s, nq, self.h, self.d).permute(0, 2, 1, 3)
        k = self.fc_k(keys).view(b_s, nk, self.h, self.d).permute(0, 2, 3, 1)
        v = self.fc_v(values).view(b_s, nk, self.h, self.d).permute(0, 2, 1, 3)
        att = torch.matmul(q, k) / np.sqrt(self.d_model)
        if attention_mask is not None:
            torch.masked_fill(att, attention_mask.unsqueeze(1) == 0, -np.inf)
        att = torch.softmax(att, -1)
        out = torch.matmul(att, v).permute(0, 2, 1, 3).contiguous().view(b_s, nq, self.h * self.d)
        return self.fc_o(out)
