import torch
from torch import nn


# cache: one tensor, (2, batch, length so far, heads, head_dim). No mask anywhere:
# a position is only ever shown the prefix that it may read.


def read_prefix(q, prefix):
    """q (B, H, d), prefix (2, B, T, H, d) -> (B, H, d)"""
    keys, values = prefix
    energy = torch.einsum("bhd,bthd->bht", q, keys) * q.shape[-1] ** -0.5
    return torch.einsum("bht,bthd->bhd", torch.softmax(energy, dim=-1), values)


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        head_dim = hidden_dim // num_heads
        self.kernel_in = nn.Parameter(torch.empty(3, num_heads, hidden_dim, head_dim))
        self.kernel_out = nn.Parameter(torch.empty(num_heads, head_dim, hidden_dim))
        nn.init.normal_(self.kernel_in, std=hidden_dim**-0.5)
        nn.init.normal_(self.kernel_out, std=hidden_dim**-0.5)

    def forward(self, x, cache=None):
        qkv = torch.einsum("btm,shmd->sbthd", x, self.kernel_in)
        queries, fresh = qkv[0], qkv[1:]
        memory = fresh if cache is None else torch.cat([cache, fresh], dim=2)
        start = memory.shape[2] - x.shape[1]
        context = torch.stack(
            [read_prefix(queries[:, i], memory[:, :, : start + i + 1]) for i in range(x.shape[1])],
            dim=1,
        )
        return torch.einsum("bthd,hdm->btm", context, self.kernel_out), memory
