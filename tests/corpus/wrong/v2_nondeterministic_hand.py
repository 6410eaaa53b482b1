# wrong: v2 nondeterministic line 18
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim, jitter=1e-2):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.jitter = jitter
        self.qkv = nn.Linear(hidden_dim, hidden_dim * 3)
        self.fc = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        q, k, v = self.qkv(x).unflatten(-1, (3, self.hidden_dim)).unbind(dim=-2)
        logits = q @ k.transpose(-2, -1) * self.hidden_dim ** -0.5
        logits = logits + self.jitter * torch.randn_like(logits)
        p = F.softmax(logits, dim=-1)
        return self.fc(p @ v)
