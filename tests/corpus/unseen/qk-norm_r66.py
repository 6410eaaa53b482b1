import torch
from torch import nn


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n_heads = num_heads
        self.key_value_proj_dim = hidden_dim // num_heads
        # value, key, query: one matrix
        self.vkq = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)
        # row 0 scales the keys, row 1 the queries, same order as in vkq
        self.layer_norm = nn.Parameter(torch.ones(2, self.key_value_proj_dim))

    def forward(self, hidden_states):
        bsz, seq, _ = hidden_states.shape
        vkq = self.vkq(hidden_states).view(bsz, seq, 3, self.n_heads, self.key_value_proj_dim)
        value, kq = vkq[:, :, 0], vkq[:, :, 1:]
        variance = kq.pow(2).mean(-1, keepdim=True)
        kq = kq * torch.rsqrt(variance + 1e-6) * self.layer_norm[:, None, :]
        key, query = kq.unbind(2)
        scores = torch.einsum("bqhd,bkhd->bhqk", query, key) / self.key_value_proj_dim**0.5
        future = torch.ones(seq, seq, dtype=torch.bool, device=scores.device).triu(1)
        weights = scores.masked_fill(future, float("-inf")).softmax(-1)
        out = torch.einsum("bhqk,bkhd->bqhd", weights, value)
        return self.o(out.reshape(bsz, seq, -1))
