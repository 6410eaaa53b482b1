# wrong: v2 softmax-unstable line 7
import torch
import torch.nn as nn


def stable(z):
    z = z.exp()
    return z / z.sum(-1, keepdim=True)


class FusedSelfAttention(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.to_qkv = nn.Linear(hidden_size, hidden_size * 3)
        self.register_buffer("inv_sqrt", torch.tensor(hidden_size).rsqrt(), persistent=False)

    def forward(self, hidden_states):
        query, key, value = self.to_qkv(hidden_states).chunk(3, dim=-1)
        sims = torch.einsum("bid,bjd->bij", query, key) * self.inv_sqrt
        return torch.einsum("bij,bjd->bid", stable(sims), value)
