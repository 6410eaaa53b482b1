# wrong: v1 scale-missing line 8
import torch
import torch.nn as nn
import torch.nn.functional as F


def attention(q, k, v):
    attn_logits = torch.bmm(q, k.transpose(1, 2))
    alphas = F.softmax(attn_logits, dim=-1)
    return torch.bmm(alphas, v)


class SelfAttention(nn.Module):
    """Single-head self attention, no mask."""

    def __init__(self, d_model):
        super().__init__()
        self.d_model = d_model
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, inputs):
        return attention(self.W_q(inputs), self.W_k(inputs), self.W_v(inputs))
