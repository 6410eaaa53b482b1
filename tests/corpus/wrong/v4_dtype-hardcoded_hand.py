# wrong: v4 dtype-hardcoded line 27
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, hidden_states, attention_mask=None):
        q = self.q_proj(hidden_states)
        k = self.k_proj(hidden_states)
        v = self.v_proj(hidden_states)

        attn_weights = torch.matmul(q, k.transpose(1, 2)) / (self.hidden_dim ** 0.5)
        if attention_mask is not None:
            min_value = torch.finfo(attn_weights.dtype).min
            attn_weights = attn_weights.masked_fill(attention_mask == 0, min_value)

        # upcast attention to fp32
        attn_weights = nn.functional.softmax(attn_weights, dim=-1, dtype=torch.float32)
        attn_weights = self.dropout(attn_weights)
        return self.o_proj(torch.matmul(attn_weights, v))
