import math
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def _shape(self, tensor, bsz):
        return tensor.view(bsz, -1, self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        bsz, tgt_len, _ = query.size()

        q = self._shape(self.q_proj(query), bsz)
        k = self._shape(self.k_proj(key), bsz)
        v = self._shape(self.v_proj(key), bsz)

        attn_weights = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(self.head_dim)
        if mask is not None:
            attn_weights = attn_weights.masked_fill(mask.unsqueeze(1) == 0, float("-inf"))
        attn_weights = nn.functional.softmax(attn_weights, dim=-1)
        attn_probs = self.dropout(attn_weights)

        attn_output = torch.matmul(attn_probs, v)
        attn_output = attn_output.transpose(1, 2).reshape(bsz, tgt_len, self.hidden_dim)
        return self.out_proj(attn_output)
