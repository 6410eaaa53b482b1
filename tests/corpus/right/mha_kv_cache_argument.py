# right: mha remarks: nan-on-empty-row
import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, hidden_size, num_attention_heads, attn_dropout=0.1, bias=False, layer_idx=0):
        super().__init__()
        self.layer_idx = layer_idx
        self.num_heads = num_attention_heads
        self.head_dim = hidden_size // num_attention_heads
        self.attn_dropout = attn_dropout
        self.q_proj = nn.Linear(hidden_size, hidden_size, bias=bias)
        self.k_proj = nn.Linear(hidden_size, hidden_size, bias=bias)
        self.v_proj = nn.Linear(hidden_size, hidden_size, bias=bias)
        self.o_proj = nn.Linear(hidden_size, hidden_size, bias=bias)

    def forward(self, hidden_states, attention_mask=None, kv_cache=None, is_causal=False, use_cache=False):
        bsz, q_len, _ = hidden_states.size()
        q = self.q_proj(hidden_states).view(bsz, q_len, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(hidden_states).view(bsz, q_len, self.num_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(hidden_states).view(bsz, q_len, self.num_heads, self.head_dim).transpose(1, 2)
        if kv_cache is not None:
            k = torch.cat([kv_cache[0], k], dim=2)
            v = torch.cat([kv_cache[1], v], dim=2)

        scores = torch.matmul(q, k.transpose(2, 3)) * self.head_dim ** -0.5
        if is_causal:
            past = k.size(2) - q_len
            seen = torch.arange(k.size(2), device=k.device) <= torch.arange(q_len, device=k.device)[:, None] + past
            scores = scores.masked_fill(~seen, float("-inf"))
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask.logical_not(), float("-inf"))

        # upcast to fp32 for the softmax
        probs = F.softmax(scores, dim=-1, dtype=torch.float32).to(q.dtype)
        probs = F.dropout(probs, p=self.attn_dropout, training=self.training)
        out = torch.matmul(probs, v).transpose(1, 2).contiguous().reshape(bsz, q_len, -1)
        out = self.o_proj(out)
        return (out, (k, v)) if use_cache else out
