import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        dim_head = hidden_dim // num_heads
        inner_dim = dim_head * num_heads
        self.scale = dim_head ** -0.5
        self.heads = num_heads

        self.to_q = nn.Linear(hidden_dim, inner_dim, bias=False)
        self.to_k = nn.Linear(hidden_dim, inner_dim, bias=False)
        self.to_v = nn.Linear(hidden_dim, inner_dim, bias=False)
        self.to_out = nn.ModuleList([nn.Linear(inner_dim, hidden_dim)])
        self.attn_dropout = nn.Dropout(dropout)

    def head_to_batch_dim(self, tensor):
        batch_size, seq_len, dim = tensor.shape
        tensor = tensor.reshape(batch_size, seq_len, self.heads, dim // self.heads)
        return tensor.permute(0, 2, 1, 3).reshape(batch_size * self.heads, seq_len, dim // self.heads)

    def batch_to_head_dim(self, tensor):
        batch_size, seq_len, dim = tensor.shape
        tensor = tensor.reshape(batch_size // self.heads, self.heads, seq_len, dim)
        return tensor.permute(0, 2, 1, 3).reshape(batch_size // self.heads, seq_len, dim * self.heads)

    def forward(self, query, key, value, mask=None):
        hidden_states, encoder_hidden_states = query, key

        query = self.head_to_batch_dim(self.to_q(hidden_states))
        key = self.head_to_batch_dim(self.to_k(encoder_hidden_states))
        value = self.head_to_batch_dim(self.to_v(encoder_hidden_states))

        sim = torch.bmm(query, key.transpose(-1, -2)) * self.scale
        if mask is not None:
            mask = mask.repeat_interleave(self.heads, dim=0)
            sim = sim.masked_fill(mask == 0, torch.finfo(sim.dtype).min)
        attn = self.attn_dropout(sim.softmax(dim=-1))

        hidden_states = self.batch_to_head_dim(torch.bmm(attn, value))
        return self.to_out[0](hidden_states)
