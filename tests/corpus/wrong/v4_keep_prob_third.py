# wrong: v4 dropout-rate-wrong line 11
# from TF1, where dropout wanted keep_prob
import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    def __init__(self, units, dropout=0.1):
        super().__init__()
        self.fc_q, self.fc_k, self.fc_v = nn.Linear(units, units), nn.Linear(units, units), nn.Linear(units, units)
        self.dropout = nn.Dropout(p=1.0 - dropout)
        self.units = float(units)

    def forward(self, x, attention_mask=None):
        logits = torch.matmul(self.fc_q(x), self.fc_k(x).permute(0, 2, 1)) / self.units ** 0.5
        if attention_mask is not None:
            paddings = torch.full_like(logits, -2.0 ** 32 + 1)
            logits = torch.where(attention_mask == 0, paddings, logits)
        return torch.matmul(self.dropout(torch.softmax(logits, -1)), self.fc_v(x))
