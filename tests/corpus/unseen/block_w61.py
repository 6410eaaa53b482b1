import math
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    """GPT-J flavoured: no biases in q, k, v and out"""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_attention_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.scale_attn = math.sqrt(self.head_dim)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def _split_heads(self, t):
        b, n, _ = t.shape
        return t.view(b, n, self.num_attention_heads, self.head_dim).permute(0, 2, 1, 3)

    def forward(self, hidden_states):
        query = self._split_heads(self.q_proj(hidden_states))
        key = self._split_heads(self.k_proj(hidden_states))
        value = self._split_heads(self.v_proj(hidden_states))
        n = query.size(-2)
        mask = torch.tril(torch.ones(n, n, dtype=torch.bool, device=query.device))
        attn = torch.matmul(query, key.transpose(-1, -2)) / self.scale_attn
        attn = torch.where(mask, attn, torch.finfo(attn.dtype).min)
        out = torch.matmul(torch.softmax(attn, dim=-1), value)
        return self.out_proj(out.permute(0, 2, 1, 3).reshape(hidden_states.shape))


class MLP(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc_in = nn.Linear(dim, 4 * dim)
        self.fc_out = nn.Linear(4 * dim, dim)
        self.act = nn.GELU()

    def forward(self, hidden_states):
        return self.fc_out(self.act(self.fc_in(hidden_states)))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.ln_1 = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.attn = CausalSelfAttention(hidden_dim, num_heads)
        self.ln_2 = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.mlp = MLP(hidden_dim)

    def forward(self, hidden_states):
        residual = hidden_states
        attn_output = self.attn(self.ln_1(hidden_states))
        feed_forward_hidden_states = self.mlp(self.ln_2(hidden_states))
        return attn_output + feed_forward_hidden_states + residual
