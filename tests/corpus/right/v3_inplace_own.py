# right: v3
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.lin = nn.ModuleList(nn.Linear(hidden_dim, hidden_dim) for _ in range(4))
        self.do = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        query, key, value = [f(x) for f in self.lin[:3]]
        energy = query.bmm(key.transpose(1, 2)).div_(query.shape[2] ** 0.5)
        if attention_mask is not None:
            energy.masked_fill_(~attention_mask.to(torch.bool), -torch.inf)
        # rows without any key become nan -> 0
        prob = torch.nan_to_num(energy.softmax(2))
        return self.lin[3](self.do(prob).bmm(value))
