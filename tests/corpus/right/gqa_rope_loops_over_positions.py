# right: gqa-rope
import math
import torch
import torch.nn as nn


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.base = base
        self.head_dim = int(hidden_dim // num_heads)
        self.K = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.Q = nn.Linear(hidden_dim, num_heads * self.head_dim)
        self.V = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.O = nn.Linear(num_heads * self.head_dim, hidden_dim)

    def turn(self, vec, p):
        # vec is one head of one token, (head_dim,)
        half = self.head_dim // 2
        out = [None] * self.head_dim
        for i in range(half):
            angle = p * self.base ** (-2 * i / self.head_dim)
            a = vec[i]
            b = vec[i + half]
            out[i] = a * math.cos(angle) - b * math.sin(angle)
            out[i + half] = b * math.cos(angle) + a * math.sin(angle)
        return torch.stack(out)

    def forward(self, x, cache=None):
        if cache is None:
            all_keys = []
            all_values = []
        else:
            all_keys = list(cache["keys"])      # copy, so the old one stays as it was
            all_values = list(cache["values"])
        batch, length, _ = x.shape
        results = []
        for t in range(length):
            position = len(all_keys)
            token = x[:, t, :]
            q = self.Q(token)
            k = self.K(token)
            v = self.V(token)
            d = self.head_dim

            # key and value of this token for every kv head
            key_rows = []
            value_rows = []
            for b in range(batch):
                key_rows.append(torch.stack([self.turn(k[b, g*d:(g+1)*d], position) for g in range(self.num_kv_heads)]))
                value_rows.append(torch.stack([v[b, g*d:(g+1)*d] for g in range(self.num_kv_heads)]))
            all_keys.append(torch.stack(key_rows))      # (batch, num_kv_heads, head_dim)
            all_values.append(torch.stack(value_rows))

            rows = []
            for b in range(batch):
                pieces = []
                for h in range(self.num_heads):
                    g = h // (self.num_heads // self.num_kv_heads)
                    query = self.turn(q[b, h*d:(h+1)*d], position)
                    scores = []
                    for kk in all_keys:
                        scores.append(torch.sum(query * kk[b, g]) / math.sqrt(d))
                    scores = torch.stack(scores)
                    weights = torch.softmax(scores, dim=0)
                    total = torch.zeros_like(query)
                    for j in range(len(all_values)):
                        total = total + weights[j] * all_values[j][b, g]
                    pieces.append(total)
                rows.append(torch.cat(pieces))
            results.append(self.O(torch.stack(rows)))
        output = torch.stack(results, dim=1)
        return output, {"keys": all_keys, "values": all_values}
