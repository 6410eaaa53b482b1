import torch
import torch.nn.functional as F
from torch import nn


class LlamaRMSNorm(nn.Module):
    def __init__(self, hidden_size, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.variance_epsilon = eps

    def forward(self, hidden_states):
        variance = hidden_states.pow(2).mean(-1, keepdim=True)
        return self.weight * hidden_states * torch.rsqrt(variance + self.variance_epsilon)


def rotate(t, cos, sin):
    a, b = t.chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


class LlamaMLP(nn.Module):
    def __init__(self, hidden_size, intermediate_size):
        super().__init__()
        self.gate_proj = nn.Linear(hidden_size, intermediate_size, bias=False)
        self.up_proj = nn.Linear(hidden_size, intermediate_size, bias=False)
        self.down_proj = nn.Linear(intermediate_size, hidden_size, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.head_dim = hidden_dim // num_heads
        self.groups = num_heads // num_kv_heads
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)
        self.mlp = LlamaMLP(hidden_dim, mlp_dim)
        self.input_layernorm = LlamaRMSNorm(hidden_dim)
        self.post_attention_layernorm = LlamaRMSNorm(hidden_dim)

    def self_attn(self, x, cos, sin):
        split = lambda t: t.unflatten(-1, (-1, self.head_dim)).transpose(1, 2)
        q, k, v = split(self.q_proj(x)), split(self.k_proj(x)), split(self.v_proj(x))
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        k, v = (t.repeat_interleave(self.groups, dim=1) for t in (k, v))
        scores = q @ k.mT / self.head_dim ** 0.5
        n = x.shape[1]
        scores = scores.masked_fill(torch.ones(n, n, device=x.device).triu(1) > 0, float("-inf"))
        return self.o_proj((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))

    def forward(self, x, cos, sin):
        residual = x
        hidden_states = self.input_layernorm(x)
        hidden_states = residual + self.self_attn(hidden_states, cos, sin)

        residual = hidden_states
        hidden_states = self.input_layernorm(hidden_states)
        return residual + self.mlp(hidden_states)
