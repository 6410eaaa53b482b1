import numpy as np
import torch
from torch import nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.key_dim = hidden_dim // num_heads
        self.query_dense = nn.Linear(hidden_dim, hidden_dim)
        self.key_dense = nn.Linear(hidden_dim, hidden_dim)
        self.value_dense = nn.Linear(hidden_dim, hidden_dim)
        self.output_dense = nn.Linear(hidden_dim, hidden_dim)
        self.register_parameter("sink", nn.Parameter(torch.zeros(1, num_heads, 1, 1)))

    def separate_heads(self, x):
        x = torch.reshape(x, (x.shape[0], x.shape[1], self.num_heads, self.key_dim))
        return torch.permute(x, (0, 2, 1, 3))

    def masked_softmax(self, logits, mask):
        """Softmax that also pays the sink, from first principles."""
        logits = torch.where(mask, logits, -np.inf)
        top = torch.amax(logits, dim=-1, keepdim=True)
        numerator = torch.exp(logits - top)
        denominator = torch.sum(numerator, dim=-1, keepdim=True) + torch.exp(self.sink)
        return numerator / denominator

    def forward(self, x):
        batch, steps, units = x.shape
        q = self.separate_heads(self.query_dense(x))
        k = self.separate_heads(self.key_dense(x))
        v = self.separate_heads(self.value_dense(x))
        logits = torch.matmul(q, torch.permute(k, (0, 1, 3, 2))) / float(np.sqrt(self.key_dim))
        i = torch.arange(steps, device=x.device).reshape(-1, 1)
        j = torch.arange(steps, device=x.device).reshape(1, -1)
        attention = self.masked_softmax(logits, i >= j)
        context = torch.permute(torch.matmul(attention, v), (0, 2, 1, 3))
        return self.output_dense(torch.reshape(context, (batch, steps, units)))
