import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.n_head = num_heads
        self.n_kv = num_kv_heads
        self.hs = hidden_dim // num_heads
        self.norms = nn.ModuleList(nn.RMSNorm(hidden_dim) for _ in range(2))
        self.Wq = nn.Linear(hidden_dim, num_heads * self.hs, bias=False)
        self.Wkv = nn.Linear(hidden_dim, 2 * num_kv_heads * self.hs, bias=False)
        self.Wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.ffn = nn.ModuleDict(dict(
            gate = nn.Linear(hidden_dim, mlp_dim, bias=False),
            up   = nn.Linear(hidden_dim, mlp_dim, bias=False),
            down = nn.Linear(mlp_dim, hidden_dim, bias=False),
        ))

    def rope(self, t, cos, sin):
        # t is B, T, H, hs so one axis has to come in for the heads
        cos = cos[None, :, None, :]
        sin = sin[None, :, None, :]
        a, b = torch.split(t, self.hs // 2, dim=-1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=3)

    def attend(self, x, cos, sin):
        B, T, C = x.size()
        q = self.Wq(x).view(B, T, self.n_head, self.hs)
        k, v = self.Wkv(x).view(B, T, 2, self.n_kv, self.hs).unbind(dim=2)
        q = self.rope(q, cos, sin).transpose(1, 2)
        k = self.rope(k, cos, sin).transpose(1, 2)
        v = v.transpose(1, 2)
        k = torch.repeat_interleave(k, self.n_head // self.n_kv, dim=1)
        v = torch.repeat_interleave(v, self.n_head // self.n_kv, dim=1)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(self.hs))
        tril = torch.tril(torch.ones(T, T, device=x.device))
        att = att.masked_fill(tril == 0, float('-inf'))
        att = F.softmax(att, dim=-1)
        return self.Wo((att @ v).transpose(1, 2).contiguous().view(B, T, C))

    def forward(self, x, cos, sin):
        x = x + self.attend(self.norms[0](x), cos, sin)
        u = self.norms[1](x)
        return x + self.ffn['down'](F.silu(self.ffn['gate'](u)) * self.ffn['up'](u))
