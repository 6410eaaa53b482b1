# wrong: v1 softmax-wrong-axis line 12, scale-missing line 19
import torch
import torch.nn as nn


class SelfAttention(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.Q = nn.Linear(hidden_size, hidden_size)
        self.K = nn.Linear(hidden_size, hidden_size)
        self.V = nn.Linear(hidden_size, hidden_size)
        self.softmax = nn.Softmax(dim=1)

    def forward(self, x):
        # x.shape = (batch, seq_len, hidden)
        Q = self.Q(x)
        K = self.K(x)
        V = self.V(x)
        score = torch.bmm(Q, torch.transpose(K, 1, 2))
        attn = self.softmax(score)
        return torch.bmm(attn, V)
