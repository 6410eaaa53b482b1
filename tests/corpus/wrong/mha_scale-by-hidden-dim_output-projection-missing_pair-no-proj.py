# wrong: mha scale-by-hidden-dim line 24, output-projection-missing line 30
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_size, num_attention_heads, dropout=0.1):
        super().__init__()
        self.n_head = num_attention_heads
        self.head_size = hidden_size // num_attention_heads
        self.hidden_size = hidden_size
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(hidden_size, hidden_size)
        self.value = nn.Linear(hidden_size, hidden_size)
        self.attn_dropout = nn.Dropout(dropout)

    def forward(self, hidden_states, attention_mask=None):
        bsz, q_len, _ = hidden_states.size()
        query = self.query(hidden_states).view(bsz, q_len, self.n_head, self.head_size).transpose(1, 2)
        key = self.key(hidden_states).view(bsz, q_len, self.n_head, self.head_size).transpose(1, 2)
        value = self.value(hidden_states).view(bsz, q_len, self.n_head, self.head_size).transpose(1, 2)
        scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(hidden_states.size(-1))
        if attention_mask is not None:
            scores = scores + (attention_mask.to(scores.dtype) - 1) * 1e4
        probs = self.attn_dropout(F.softmax(scores, dim=-1, dtype=torch.float32).to(query.dtype))
        output = torch.matmul(probs, value)
        output = output.transpose(1, 2).contiguous()
        return output.reshape(bsz, q_len, self.hidden_size)
