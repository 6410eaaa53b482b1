# Meta's code remembered, but with halves
import torch
from torch import nn


def freqs_cis(dim, start, end, theta, device):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2, device=device)[: dim // 2].float() / dim))
    t = torch.arange(start, end, device=device, dtype=torch.float32)
    return torch.polar(torch.ones(end - start, dim // 2, device=device), torch.outer(t, freqs))


def apply_rotary_emb(x, cis):
    # x: (bs, seqlen, heads, dim);  real part is the first half, imaginary the second
    a, b = x.float().chunk(2, dim=-1) if x.dtype.itemsize < 4 else x.chunk(2, dim=-1)
    z = torch.complex(a, b) * cis[None, :, None, :]
    return torch.cat((z.real, z.imag), dim=-1).type_as(x)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.n_heads, self.n_kv_heads, self.theta = num_heads, num_kv_heads, base
        self.n_rep = num_heads // num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        bsz, seqlen, _ = x.shape
        xq = self.wq(x).view(bsz, seqlen, self.n_heads, self.head_dim)
        xk = self.wk(x).view(bsz, seqlen, self.n_kv_heads, self.head_dim)
        xv = self.wv(x).view(bsz, seqlen, self.n_kv_heads, self.head_dim)
        start_pos = 0 if cache is None else cache[0].shape[1]
        cis = freqs_cis(self.head_dim, start_pos, start_pos + seqlen, self.theta, x.device)
        xq, xk = apply_rotary_emb(xq, cis), apply_rotary_emb(xk, cis)
        if cache is not None:
            xk = torch.cat((cache[0], xk), dim=1)
            xv = torch.cat((cache[1], xv), dim=1)
        new_cache = (xk, xv)
        keys = xk.repeat_interleave(self.n_rep, dim=2).transpose(1, 2)
        values = xv.repeat_interleave(self.n_rep, dim=2).transpose(1, 2)
        scores = torch.matmul(xq.transpose(1, 2), keys.transpose(2, 3)) / self.head_dim**0.5
        if seqlen > 1:
            mask = torch.full((seqlen, seqlen), float("-inf"), device=x.device, dtype=scores.dtype).triu(diagonal=1)
            mask = torch.hstack([torch.zeros((seqlen, start_pos), device=x.device, dtype=scores.dtype), mask])
            scores = scores + mask
        output = torch.matmul(scores.softmax(dim=-1), values)
        return self.wo(output.transpose(1, 2).reshape(bsz, seqlen, -1)), new_cache
