# wrong: v3 scale-missing line 19, mask-after-softmax line 22
# fair: mask-after-softmax 20 22
import torch
import torch.nn as nn
import torch.nn.functional as F


class AttentionLayer(nn.Module):
    def __init__(self, hidden, dropout=0.1):
        super().__init__()
        self.fc1 = nn.Linear(hidden, hidden)  # query
        self.fc2 = nn.Linear(hidden, hidden)  # key
        self.fc3 = nn.Linear(hidden, hidden)  # value
        self.fc4 = nn.Linear(hidden, hidden)  # out
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        q, k, v = self.fc1(x), self.fc2(x), self.fc3(x)
        a = torch.matmul(q, k.transpose(-1, -2))
        a = F.softmax(a, dim=-1)
        if mask is not None:
            a = a.masked_fill(mask == 0, 0)
        a = self.drop(a)
        return self.fc4(torch.matmul(a, v))
