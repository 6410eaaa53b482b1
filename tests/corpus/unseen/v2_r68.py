import math
from dataclasses import dataclass

import torch
from torch import nn


class Conv1D(nn.Module):
    """Linear with the weight transposed, as in OpenAI's GPT-2."""

    def __init__(self, nf, nx):
        super().__init__()
        self.nf, self.nx = nf, nx
        self.weight = nn.Parameter(torch.empty(nx, nf))
        self.bias = nn.Parameter(torch.zeros(nf))
        nn.init.normal_(self.weight, std=0.02 if nx > 512 else nx**-0.5)

    def forward(self, x):
        size_out = x.size()[:-1] + (self.nf,)
        x = torch.addmm(self.bias, x.reshape(-1, x.size(-1)), self.weight)
        return x.view(size_out)


@dataclass
class AttnConfig:
    n_embd: int
    tile: int = 64
    use_c_proj: bool = True


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim, config=None):
        super().__init__()
        cfg = config or AttnConfig(n_embd=hidden_dim)
        self.split_size = cfg.n_embd
        self.tile = cfg.tile
        self.c_attn = Conv1D(3 * cfg.n_embd, cfg.n_embd)
        self.c_proj = Conv1D(cfg.n_embd, cfg.n_embd) if cfg.use_c_proj else nn.Identity()

    def _attn(self, query, key, value):
        # running softmax over tiles of keys, so the (L, L) matrix is never whole
        out_dtype = query.dtype
        if out_dtype.itemsize < 4:
            query, key, value = query.float(), key.float(), value.float()
        m = query.new_full(query.shape[:-1] + (1,), -math.inf)
        l = torch.zeros_like(m)
        acc = torch.zeros_like(query)
        for kt, vt in zip(key.split(self.tile, 1), value.split(self.tile, 1)):
            w = torch.bmm(query, kt.transpose(1, 2)) / math.sqrt(self.split_size)
            m_new = torch.maximum(m, w.amax(-1, keepdim=True))
            alpha = torch.exp(m - m_new)
            p = torch.exp(w - m_new)
            l = alpha * l + p.sum(-1, keepdim=True)
            acc = alpha * acc + torch.bmm(p, vt)
            m = m_new
        return (acc / l).to(out_dtype)

    def forward(self, hidden_states):
        value, key, query = self.c_attn(hidden_states).split(self.split_size, dim=2)
        return self.c_proj(self._attn(query, key, value))
