import torch
from torch import nn
from torch.nn.functional import softmax


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.split = lambda t: t.view(t.shape[0], t.shape[1], num_heads, -1).permute(0, 2, 1, 3)
        self.merge = lambda t: t.permute(0, 2, 1, 3).flatten(2)
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.Wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, memory, memory_lengths, cache=None):
        q = self.split(self.Wq(x))

        if not cache:
            k, v = self.split(self.Wk(memory)), self.split(self.Wv(memory))
            valid = torch.arange(memory.shape[1], device=memory.device) < memory_lengths.unsqueeze(-1)
            valid = valid[:, None, None]
        else:
            k, v, valid = cache

        # scaling the keys is cheaper than scaling all the scores
        k = k * self.scale
        att = torch.where(valid, q @ k.transpose(-1, -2), float("-inf"))
        y = softmax(att, dim=-1) @ v
        return self.Wo(self.merge(y)), (k, v, valid)
