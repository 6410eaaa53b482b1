import math
import torch
import torch.nn as nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query_layer = nn.Linear(hidden_dim, hidden_dim)
        self.key_layer = nn.Linear(hidden_dim, hidden_dim)
        self.value_layer = nn.Linear(hidden_dim, hidden_dim)
        self.output_layer = nn.Linear(hidden_dim, hidden_dim)
        self.sink_logits = nn.Parameter(torch.zeros(num_heads))

    def to_heads(self, tensor):
        batch_size, length, _ = tensor.shape
        four_axes = tensor.reshape(batch_size, length, self.num_heads, self.head_dim)
        return four_axes.permute(0, 2, 1, 3)

    def forward(self, x):
        batch_size, length, hidden_dim = x.shape
        # step 1: projections
        queries = self.to_heads(self.query_layer(x))
        keys = self.to_heads(self.key_layer(x))
        values = self.to_heads(self.value_layer(x))
        # step 2: scores
        scores = torch.matmul(queries, keys.transpose(-2, -1))
        scaled = scores / math.sqrt(self.head_dim)
        # step 3: mask
        allowed = torch.tril(torch.ones(length, length, dtype=torch.bool, device=x.device))
        masked = scaled.masked_fill(~allowed, -math.inf)
        # step 4: softmax with the sink in the denominator
        row_max = masked.max(dim=-1, keepdim=True).values
        numerators = torch.exp(masked - row_max)
        sink_term = torch.exp(self.sink_logits).view(1, self.num_heads, 1, 1)
        key_sum = numerators.sum(dim=-1, keepdim=True)
        denominators = key_sum + sink_term
        weights = numerators / denominators
        # step 5: values
        head_outputs = torch.matmul(weights, values)
        merged = head_outputs.permute(0, 2, 1, 3).reshape(batch_size, length, hidden_dim)
        return self.output_layer(merged)
