import torch
import torch.nn as nn
import torch.nn.functional as F


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def _shape(self, t):
        return t.view(t.size(0), t.size(1), self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x, cache=None):
        bsz, q_len, _ = x.size()
        query = self._shape(self.q_proj(x)) * self.head_dim ** -0.5
        key = self._shape(self.k_proj(x))
        value = self._shape(self.v_proj(x))

        if cache is not None:
            key = torch.cat((cache[0], key), dim=2)
            value = torch.cat((cache[1], value), dim=2)
        past = key.size(2) - q_len

        attn = torch.matmul(query, key.transpose(2, 3))
        is_causal = past == 0 and q_len > 1  # decoding sees the whole cache anyway
        if is_causal:
            mask = torch.full((q_len, past + q_len), float('-inf'), dtype=attn.dtype, device=x.device)
            attn = attn + torch.triu(mask, diagonal=past + 1)
        attn = F.softmax(attn, dim=-1)

        out = torch.matmul(attn, value)
        out = out.transpose(1, 2).contiguous().view(bsz, q_len, -1)
        return self.out_proj(out), (key, value)
