# attn-kata: causal
import torch
from torch import nn


def one_head(q, k, v, visible):
    scores = (q @ k.mT) / q.shape[-1] ** 0.5
    return torch.where(visible, scores, -torch.inf).softmax(-1) @ v


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.register_buffer("index", torch.arange(block_size), persistent=False)

    def forward(self, x):
        pos = self.index[: x.size(1)]
        visible = pos[None, :] <= pos[:, None]
        parts = [layer(x).unflatten(-1, (self.num_heads, -1)) for layer in (self.q, self.k, self.v)]
        heads = torch.vmap(one_head, in_dims=(2, 2, 2, None), out_dims=2)(*parts, visible)
        return heads.flatten(2)
