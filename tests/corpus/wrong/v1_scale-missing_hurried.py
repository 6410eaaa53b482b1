# wrong: v1 scale-missing line 14
import torch
import torch.nn as nn

class SelfAttn(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.wq = nn.Linear(dim, dim)
        self.wk = nn.Linear(dim, dim)
        self.wv = nn.Linear(dim, dim)

    def forward(self, x):
        q, k, v = self.wq(x), self.wk(x), self.wv(x)
        att = q @ k.transpose(1, 2)
        att = torch.softmax(att, -1)
        return att @ v
