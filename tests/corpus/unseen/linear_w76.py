import torch
from torch import nn

elu = nn.ELU()


def linear_attention(query, key, value):
    q = elu(query) + 1
    k = elu(key) + 1
    weights = torch.matmul(q, k.transpose(-1, -2))
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return torch.matmul(weights, value)


def causal_linear_attention(query, key, value):
    q = elu(query) + 1
    k = elu(key) + 1
    outputs = []
    memory, norm = 0, 0
    for t in range(query.size(2)):
        kt = k[:, :, t].unsqueeze(-1)
        memory = memory + kt * value[:, :, t].unsqueeze(-2)
        norm = norm + kt
        qt = q[:, :, t].unsqueeze(-2)
        outputs.append(torch.matmul(qt, memory) / torch.matmul(qt, norm))
    return torch.cat(outputs, dim=2)
