# wrong: mla rope-on-content line 42
# fair: rope-on-content 44, 46
import math
import torch
import torch.nn as nn


class RoPE(nn.Module):
    def forward(self, x, positions):
        d = x.shape[-1]
        inv = 1.0 / (10000 ** (torch.arange(0, d, 2, device=x.device).float() / d))
        emb = torch.outer(positions.float(), inv).repeat(1, 2)
        half = torch.cat([-x[..., d // 2 :], x[..., : d // 2]], dim=-1)
        return (x * emb.cos() + half * emb.sin()).type_as(x)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.h, self.d, self.r = num_heads, head_dim, rope_dim
        self.wq_c = nn.Linear(hidden_dim, num_heads * head_dim)
        self.wq_r = nn.Linear(hidden_dim, num_heads * rope_dim)
        self.w_dkv = nn.Linear(hidden_dim, latent_dim)
        self.w_kr = nn.Linear(hidden_dim, rope_dim)
        self.w_uk = nn.Linear(latent_dim, num_heads * head_dim)
        self.w_uv = nn.Linear(latent_dim, num_heads * head_dim)
        self.w_o = nn.Linear(num_heads * head_dim, hidden_dim)
        self.rope = RoPE()

    def heads(self, t):
        return t.view(t.shape[0], t.shape[1], self.h, -1).transpose(1, 2)

    def forward(self, x, cache=None):
        past = 0 if cache is None else cache[0].shape[1]
        pos = torch.arange(past, past + x.shape[1], device=x.device)
        c = self.w_dkv(x)
        kr = self.rope(self.w_kr(x), pos)
        if cache is not None:
            c = torch.cat([cache[0], c], dim=1)
            kr = torch.cat([cache[1], kr], dim=1)
        total = c.shape[1]
        qc = self.rope(self.heads(self.wq_c(x)), pos)
        qr = self.rope(self.heads(self.wq_r(x)), pos)
        kc = self.rope(self.heads(self.w_uk(c)), torch.arange(total, device=x.device))
        v = self.heads(self.w_uv(c))
        s = (qc @ kc.transpose(-1, -2) + qr @ kr.unsqueeze(1).transpose(-1, -2))
        s = s / math.sqrt(self.d + self.r)
        i = torch.arange(past, total, device=x.device).unsqueeze(1)
        j = torch.arange(total, device=x.device).unsqueeze(0)
        s = s.masked_fill(j > i, float("-inf"))
        o = s.softmax(dim=-1) @ v
        return self.w_o(o.transpose(1, 2).flatten(2)), (c, kr)
