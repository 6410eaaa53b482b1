import torch
import torch.nn as nn
import torch.nn.functional as F


class LlamaBlock(nn.Module):

    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.parts = [num_heads * self.head_dim] + [num_kv_heads * self.head_dim] * 2

        self.n1 = nn.Parameter(torch.ones(hidden_dim))
        self.n2 = nn.Parameter(torch.ones(hidden_dim))
        self.qkv = nn.Linear(hidden_dim, sum(self.parts), bias=False)
        self.proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.ffn_gate = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.ffn_up = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.ffn_down = nn.Linear(mlp_dim, hidden_dim, bias=False)

    def forward(self, x, cos, sin):
        b, t, c = x.shape
        hd = self.head_dim

        # --- norm 1 + qkv
        y = F.rms_norm(x, (c,), self.n1, eps=1e-5)
        q, k, v = self.qkv(y).split(self.parts, dim=-1)
        q = q.reshape(b, t, self.num_heads, hd).transpose(1, 2)
        k = k.reshape(b, t, self.num_kv_heads, hd).transpose(1, 2)
        v = v.reshape(b, t, self.num_kv_heads, hd).transpose(1, 2)

        # --- rope
        cos_full = cos.repeat_interleave(2, dim=-1)
        sin_full = sin.repeat_interleave(2, dim=-1)
        q_rot = torch.cat((-q[..., hd // 2:], q[..., :hd // 2]), dim=-1)
        k_rot = torch.cat((-k[..., hd // 2:], k[..., :hd // 2]), dim=-1)
        q = q * cos_full + q_rot * sin_full
        k = k * cos_full + k_rot * sin_full

        # --- attention
        k = k.repeat_interleave(self.num_heads // self.num_kv_heads, dim=1)
        v = v.repeat_interleave(self.num_heads // self.num_kv_heads, dim=1)
        att = q @ k.transpose(-1, -2) * (hd ** -0.5)
        causal = torch.tril(torch.ones(t, t, device=x.device)) == 0
        att = att.masked_fill(causal, float('-inf')).softmax(dim=-1)
        y = (att @ v).transpose(1, 2).contiguous().view(b, t, c)
        x = x + self.proj(y)

        # --- mlp
        y = F.rms_norm(x, (c,), self.n2, eps=1e-5)
        return x + self.ffn_down(F.silu(self.ffn_gate(y)) * self.ffn_up(y))
