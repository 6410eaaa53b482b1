"""Qwen2-style decoder layer: biases on q, k, v; none elsewhere."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Qwen2Attention(nn.Module):
    def __init__(self, hidden_size, num_heads, num_kv_heads):
        super().__init__()
        self.head_dim = hidden_size // num_heads
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        self.q_proj = nn.Linear(hidden_size, num_heads * self.head_dim, bias=True)
        self.k_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim, bias=True)
        self.v_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim, bias=True)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_size, bias=False)

    @staticmethod
    def rope(x, cos, sin):
        first, second = x.tensor_split(2, dim=-1)
        return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)

    def forward(self, hidden_states, cos, sin):
        bsz, q_len, _ = hidden_states.size()
        q = self.q_proj(hidden_states).view(bsz, q_len, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(hidden_states).view(bsz, q_len, self.num_kv_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(hidden_states).view(bsz, q_len, self.num_kv_heads, self.head_dim).transpose(1, 2)
        q, k = self.rope(q, cos, sin), self.rope(k, cos, sin)
        groups = self.num_heads // self.num_kv_heads
        k = torch.repeat_interleave(k, groups, dim=1)
        v = torch.repeat_interleave(v, groups, dim=1)
        attn = torch.matmul(q, k.transpose(-1, -2)) * (self.head_dim ** -0.5)
        idx = torch.arange(q_len, device=attn.device)
        attn = attn.masked_fill(idx.unsqueeze(0) > idx.unsqueeze(1), float("-inf"))
        out = torch.matmul(torch.softmax(attn, dim=-1), v)
        return self.o_proj(out.transpose(1, 2).reshape(bsz, q_len, -1))


class Qwen2MLP(nn.Module):
    def __init__(self, hidden_size, intermediate_size):
        super().__init__()
        self.gate_proj = nn.Linear(hidden_size, intermediate_size, bias=False)
        self.up_proj = nn.Linear(hidden_size, intermediate_size, bias=False)
        self.down_proj = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.act_fn = nn.SiLU()

    def forward(self, x):
        return self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.input_layernorm = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.self_attn = Qwen2Attention(hidden_dim, num_heads, num_kv_heads)
        self.post_attention_layernorm = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.mlp = Qwen2MLP(hidden_dim, mlp_dim)

    def forward(self, x, cos, sin):
        hidden_states = x
        # self attention
        residual = hidden_states
        hidden_states = self.input_layernorm(hidden_states)
        hidden_states = self.self_attn(hidden_states, cos, sin)
        hidden_states = residual + hidden_states
        # fully connected
        hidden_states = self.post_attention_layernorm(hidden_states)
        residual = hidden_states
        hidden_states = self.mlp(hidden_states)
        return residual + hidden_states
