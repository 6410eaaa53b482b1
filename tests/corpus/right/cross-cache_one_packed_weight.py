# right: cross-cache
# One packed weight, sliced: the first third for queries, the rest for the memory.
import torch
import torch.nn.functional as F
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.hidden_dim, self.num_heads = hidden_dim, num_heads
        self.qkv_weight = nn.Parameter(torch.empty(3 * hidden_dim, hidden_dim))
        self.qkv_bias = nn.Parameter(torch.zeros(3 * hidden_dim))
        self.out = nn.Linear(hidden_dim, hidden_dim)
        nn.init.xavier_uniform_(self.qkv_weight)

    def forward(self, x, memory, memory_lengths, cache=None):
        e, h = self.hidden_dim, self.num_heads
        q = F.linear(x, self.qkv_weight[:e], self.qkv_bias[:e])
        if cache is None:
            kv = F.linear(memory, self.qkv_weight[e:], self.qkv_bias[e:])
            k, v = (t.reshape(*t.shape[:2], h, -1) for t in kv.split(e, dim=-1))
            cache = [k, v, memory_lengths]
        k, v, lengths = cache
        q = q.reshape(*q.shape[:2], h, -1)
        out = []
        for sample in range(len(x)):
            n = int(lengths[sample])
            scores = torch.einsum("thd,shd->hts", q[sample], k[sample, :n]) / q.shape[-1] ** 0.5
            weights = F.softmax(scores, dim=-1)
            out.append(torch.einsum("hts,shd->thd", weights, v[sample, :n]).flatten(1))
        return self.out(torch.stack(out)), cache
