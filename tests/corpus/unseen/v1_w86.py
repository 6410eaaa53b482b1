import torch, math
from torch import nn
class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.d = hidden_dim
        self.wq, self.wk, self.wv = [nn.Linear(hidden_dim, hidden_dim) for _ in range(3)]
    def forward(self, x):
        q = self.wq(x); k = self.wk(x); v = self.wv(x)
        s = q @ k.T / math.sqrt(self.d)
        p = torch.softmax(s, -1)
        return p @ v
