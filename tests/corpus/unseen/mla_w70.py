from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class State:
    latent: Tensor
    rotary: Tensor

    def plus(self, latent, rotary):
        return State(torch.cat([self.latent, latent], 1), torch.cat([self.rotary, rotary], 1))

    def __len__(self):
        return self.latent.shape[1]


def rotated(t, start):
    # complex numbers: entry i of the first half is real, of the second half imaginary
    real = torch.float64 if t.dtype == torch.float64 else torch.float32
    half = t.shape[-1] // 2
    pos = torch.arange(start, start + t.shape[-2], dtype=real, device=t.device)
    freq = 10000.0 ** (torch.arange(half, dtype=real, device=t.device) / -half)
    turn = torch.polar(torch.ones((), dtype=real, device=t.device).expand(len(pos), half), torch.outer(pos, freq))
    re, im = t.to(real).split(half, dim=-1)
    z = torch.complex(re, im) * turn
    return torch.cat([z.real, z.imag], dim=-1).to(t.dtype)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.nh, self.hd, self.rd = num_heads, head_dim, rope_dim
        self.query = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim))
        self.kv_down = nn.Linear(hidden_dim, latent_dim)
        self.key_rope = nn.Linear(hidden_dim, rope_dim)
        self.kv_up = nn.Linear(latent_dim, num_heads * 2 * head_dim)
        self.out = nn.Linear(num_heads * head_dim, hidden_dim)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        empty = State(x.new_empty(B, 0, self.kv_down.out_features), x.new_empty(B, 0, self.rd))
        old = empty if cache is None else cache
        start = len(old)
        state = old.plus(self.kv_down(x), rotated(self.key_rope(x), start))
        S = len(state)

        q = self.query(x).unflatten(-1, (self.nh, -1)).transpose(1, 2)
        qc, qr = q.split([self.hd, self.rd], -1)
        kc, v = self.kv_up(state.latent).unflatten(-1, (self.nh, -1)).transpose(1, 2).chunk(2, -1)

        att = qc @ kc.mT + rotated(qr, start) @ state.rotary[:, None].mT
        att = att * (self.hd + self.rd) ** -0.5
        if T > 1:  # a single new token may look at everything
            att = att + torch.full((T, S), float("-inf"), dtype=x.dtype, device=x.device).triu(1)
        y = att.softmax(-1) @ v
        return self.out(y.transpose(1, 2).flatten(2)), state
