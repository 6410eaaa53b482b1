# wrong: v1 scale-missing line 17, softmax-wrong-axis line 18
import torch
import torch.nn as nn
import torch.nn.functional as F

class Attention(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.Q = nn.Linear(hidden, hidden)
        self.K = nn.Linear(hidden, hidden)
        self.V = nn.Linear(hidden, hidden)

    def forward(self, x):
        Q = self.Q(x)
        K = self.K(x)
        V = self.V(x)
        sim = torch.bmm(Q, K.permute(0, 2, 1))
        sim = F.softmax(sim, dim=1)
        return torch.bmm(sim, V)
