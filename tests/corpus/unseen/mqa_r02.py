# attn-kata: mqa
import math

import torch
import torch.nn as nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        # every head has its own query layer
        self.query_layers = nn.ModuleList()
        for i in range(num_heads):
            self.query_layers.append(nn.Linear(hidden_dim, self.head_dim))
        # but there is only one key layer and one value layer
        self.key_layer = nn.Linear(hidden_dim, self.head_dim)
        self.value_layer = nn.Linear(hidden_dim, self.head_dim)
        self.out_layer = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        key = self.key_layer(x)
        value = self.value_layer(x)
        results = []
        for i in range(self.num_heads):
            query = self.query_layers[i](x)
            scores = torch.matmul(query, key.transpose(1, 2))
            scores = scores / math.sqrt(self.head_dim)
            if attention_mask is not None:
                # a mask with one head is for all of them
                if attention_mask.shape[1] == 1:
                    this_mask = attention_mask[:, 0]
                else:
                    this_mask = attention_mask[:, i]
                scores = scores.masked_fill(this_mask == 0, float("-inf"))
            weights = torch.softmax(scores, dim=-1)
            results.append(torch.matmul(weights, value))
        together = torch.cat(results, dim=2)
        return self.out_layer(together)
