# right: qk-norm
import math
import torch
import torch.nn as nn


def normalise(vectors, weight):
    size = torch.sqrt(torch.mean(vectors ** 2, dim=-1, keepdim=True) + 1e-6)
    return weight * vectors / size


class QKNormMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        assert d_model % num_heads == 0
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)
        self.query_scale = nn.Parameter(torch.ones(self.d_k))
        self.key_scale = nn.Parameter(torch.ones(self.d_k))

    def forward(self, x):
        length = x.size(1)
        Q, K, V = self.W_q(x), self.W_k(x), self.W_v(x)
        allowed = torch.ones(length, length, device=x.device).tril().bool()
        outputs = []
        for h in range(self.num_heads):
            part = slice(h * self.d_k, (h + 1) * self.d_k)
            q = normalise(Q[..., part], self.query_scale)
            k = normalise(K[..., part], self.key_scale)
            scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.d_k)
            scores = scores.masked_fill(~allowed, -1e4)
            outputs.append(torch.bmm(torch.softmax(scores, dim=-1), V[..., part]))
        return self.W_o(torch.cat(outputs, dim=-1))
