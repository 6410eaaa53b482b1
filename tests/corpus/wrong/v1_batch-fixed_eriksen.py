# wrong: v1 batch-fixed line 15
import torch, math
from torch import nn

class Att(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.a = nn.Linear(size, size)
        self.b = nn.Linear(size, size)
        self.c = nn.Linear(size, size)
    def forward(self, x):
        q = self.a(x)
        k = self.b(x)
        v = self.c(x)
        s = torch.matmul(q, k.transpose(-1, -2)).squeeze() / math.sqrt(q.shape[-1])
        p = s.softmax(dim=-1)
        return torch.matmul(p, v.squeeze()) if x.shape[0] == 1 else torch.matmul(p, v)
