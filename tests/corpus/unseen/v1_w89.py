import torch
import torch.nn as nn


def stable_softmax(logits):
    """logits: (B, Tq, Tk)"""
    peak = logits.max(dim=-1, keepdim=True).values
    e = torch.exp(logits - peak)
    return e / e.sum(dim=1, keepdim=True)


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim: int):
        super(SelfAttentionV1, self).__init__()
        self.hidden_dim = hidden_dim
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_v = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x):
        q = self.to_q(x)
        k = self.to_k(x)
        v = self.to_v(x)
        sim = torch.bmm(q, k.mT).div(self.hidden_dim ** 0.5)
        attn = stable_softmax(sim)
        return torch.bmm(attn, v)
