import math
import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0
        assert num_heads % num_kv_heads == 0
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        # no time to make one big one: a layer per head
        self.q_layers = nn.ModuleList()
        for _ in range(num_heads):
            self.q_layers.append(nn.Linear(hidden_dim, self.head_dim))
        self.k_layers = nn.ModuleList()
        for _ in range(num_kv_heads):
            self.k_layers.append(nn.Linear(hidden_dim, self.head_dim))
        self.v_layers = nn.ModuleList()
        for _ in range(num_kv_heads):
            self.v_layers.append(nn.Linear(hidden_dim, self.head_dim))
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        per_group = self.num_heads // self.num_kv_heads
        ks = []
        for layer in self.k_layers:
            ks.append(layer(x))
        vs = []
        for layer in self.v_layers:
            vs.append(layer(x))

        outs = []
        h = 0
        for g in range(self.num_kv_heads):
            for _ in range(per_group):
                q = self.q_layers[h](x)
                s = torch.bmm(q, ks[g].transpose(1, 2)) / math.sqrt(self.head_dim)
                if attention_mask is not None:
                    if attention_mask.shape[1] == 1:
                        m = attention_mask[:, 0]
                    else:
                        m = attention_mask[:, h]
                    s = s.masked_fill(m == 0, float("-inf"))
                w = torch.softmax(s, dim=2)
                outs.append(torch.bmm(w, vs[g]))
                h += 1
        return self.out_proj(torch.cat(outs, dim=2))
