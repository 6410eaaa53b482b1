# wrong: mla values-from-keys line 40
# fair: values-from-keys 44
import math
import torch
import torch.nn as nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.H, self.D, self.R = num_heads, head_dim, rope_dim
        self.W_Q = nn.Linear(hidden_dim, num_heads * head_dim)
        self.W_QR = nn.Linear(hidden_dim, num_heads * rope_dim)
        self.W_DKV = nn.Linear(hidden_dim, latent_dim)
        self.W_KR = nn.Linear(hidden_dim, rope_dim)
        self.W_UK = nn.Linear(latent_dim, num_heads * head_dim)
        self.W_UV = nn.Linear(latent_dim, num_heads * head_dim)
        self.W_O = nn.Linear(num_heads * head_dim, hidden_dim)

    def rope(self, x, offset=0):
        d = x.size(-1)
        i = torch.arange(d // 2, device=x.device)
        angles = torch.arange(offset, offset + x.size(-2), device=x.device)[:, None] / 10000 ** (2 * i / d)
        cos, sin = torch.cos(angles), torch.sin(angles)
        x1, x2 = x[..., : d // 2], x[..., d // 2 :]
        return torch.cat([x1 * cos - x2 * sin, x1 * sin + x2 * cos], dim=-1).to(x.dtype)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        off = 0 if cache is None else cache['c'].size(1)
        c_kv = self.W_DKV(x)
        k_r = self.rope(self.W_KR(x), off)
        if cache is not None:
            c_kv = torch.cat([cache['c'], c_kv], 1)
            k_r = torch.cat([cache['kr'], k_r], 1)
        S = c_kv.size(1)
        q_c = self.W_Q(x).view(B, T, self.H, self.D).transpose(1, 2)
        q_r = self.rope(self.W_QR(x).view(B, T, self.H, self.R).transpose(1, 2), off)
        k_c = self.W_UK(c_kv).view(B, S, self.H, self.D).transpose(1, 2)
        v_c = self.W_UK(c_kv).view(B, S, self.H, self.D).transpose(1, 2)
        scores = (q_c @ k_c.mT + q_r @ k_r.unsqueeze(1).mT) / math.sqrt(self.D + self.R)
        keep = torch.ones(T, S, dtype=torch.bool, device=x.device).tril(S - T)
        attn = scores.masked_fill(keep.logical_not(), float('-inf')).softmax(dim=-1)
        out = attn @ v_c
        return self.W_O(out.transpose(1, 2).reshape(B, T, -1)), {'c': c_kv, 'kr': k_r}
