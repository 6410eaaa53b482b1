import torch
import torch.nn as nn
import torch.nn.functional as F


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        head_dim = hidden_dim // num_heads
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.num_key_value_groups = num_heads // num_kv_heads
        self.q_proj = nn.Linear(hidden_dim, num_heads * head_dim, bias=True)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * head_dim, bias=True)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * head_dim, bias=True)
        self.o_proj = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)
        self.scaling = (self.k_proj.out_features // num_heads) ** -0.5

    def forward(self, x, attention_mask=None):
        bsz, q_len, _ = x.shape
        q = self.q_proj(x).view(bsz, q_len, self.num_heads, -1).transpose(1, 2)
        k = self.k_proj(x).view(bsz, q_len, self.num_kv_heads, -1).transpose(1, 2)
        v = self.v_proj(x).view(bsz, q_len, self.num_kv_heads, -1).transpose(1, 2)
        k = k.repeat_interleave(self.num_key_value_groups, dim=1)
        v = v.repeat_interleave(self.num_key_value_groups, dim=1)
        w = torch.matmul(q, k.transpose(2, 3)) * self.scaling
        if attention_mask is not None:
            w = w.masked_fill(attention_mask == 0, float("-inf"))
        w = F.softmax(w, dim=-1, dtype=torch.promote_types(w.dtype, torch.float32)).to(q.dtype)
        out = torch.matmul(w, v).transpose(1, 2).contiguous().reshape(bsz, q_len, -1)
        return self.o_proj(out)
