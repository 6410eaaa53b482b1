import torch
from torch import nn


def chunked_attention(q, k, v, chunk):
    """q, k, v: (batch, heads, length, dim); scores for `chunk` queries at a time."""
    outs = []
    n = q.shape[2]
    for begin in range(0, n, chunk):
        piece = q[:, :, begin:begin + chunk]
        s = torch.einsum("bhid,bhjd->bhij", piece, k)
        ok = torch.ones(s.shape[-2:], dtype=torch.bool, device=s.device).tril(0)
        s = s.masked_fill(~ok, torch.finfo(s.dtype).min)
        outs.append(torch.einsum("bhij,bhjd->bhid", s.softmax(-1), v))
    return torch.cat(outs, dim=2)


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size, chunk=16):
        super().__init__()
        self.h = num_heads
        self.chunk = chunk
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = (t.reshape(b, n, self.h, -1).transpose(1, 2) for t in self.to_qkv(x).chunk(3, -1))
        out = chunked_attention(q * self.scale, k, v, self.chunk)
        return self.to_out(out.transpose(1, 2).reshape(b, n, -1))
