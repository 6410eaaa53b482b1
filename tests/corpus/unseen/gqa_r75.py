import torch
import torch.nn as nn


class GroupedQueryAttention(nn.Module):
    # plain loops; group = h // (how many queries share)
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.num_heads = num_heads
        self.share = num_heads // num_kv_heads
        head_dim = hidden_dim // num_heads
        self.root = head_dim ** 0.5
        self.query_layers = nn.ModuleList([nn.Linear(hidden_dim, head_dim) for _ in range(num_heads)])
        self.key_layers = nn.ModuleList([nn.Linear(hidden_dim, head_dim) for _ in range(num_kv_heads)])
        self.value_layers = nn.ModuleList([nn.Linear(hidden_dim, head_dim) for _ in range(num_kv_heads)])
        self.final = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        keys = [layer(x) for layer in self.key_layers]
        values = [layer(x) for layer in self.value_layers]
        heads = []
        for h in range(self.num_heads):
            g = h // self.share
            scores = torch.bmm(self.query_layers[h](x), keys[g].transpose(1, 2)) / self.root
            if attention_mask is not None:
                if attention_mask.shape[1] == 1:
                    this_mask = attention_mask[:, 0]
                else:
                    this_mask = attention_mask[:, h]
                scores = scores.masked_fill(this_mask == 0, float("-inf"))
            heads.append(torch.bmm(torch.softmax(scores, dim=-1), values[g]))
        return self.final(torch.cat(heads, dim=-1))
