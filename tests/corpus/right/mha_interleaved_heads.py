# right: mha
# GPT-NeoX layout: for every head its own q, k and v rows follow each other
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_size, num_attention_heads, attention_dropout=0.0):
        super().__init__()
        self.num_attention_heads = num_attention_heads
        self.head_size = hidden_size // num_attention_heads
        self.norm_factor = self.head_size ** -0.5
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.dense = nn.Linear(hidden_size, hidden_size)
        self.attention_dropout = nn.Dropout(attention_dropout)

    def forward(self, hidden_states, attention_mask=None):
        qkv = self.query_key_value(hidden_states)
        qkv = qkv.view(qkv.size()[:-1] + (self.num_attention_heads, 3 * self.head_size))
        query = qkv[..., : self.head_size].permute(0, 2, 1, 3)
        key = qkv[..., self.head_size : 2 * self.head_size].permute(0, 2, 1, 3)
        value = qkv[..., 2 * self.head_size :].permute(0, 2, 1, 3)

        scores = torch.matmul(query, key.transpose(-1, -2)) * self.norm_factor
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)
        probs = self.attention_dropout(nn.functional.softmax(scores, -1))
        out = torch.matmul(probs, value).permute(0, 2, 1, 3)
        return self.dense(out.reshape(out.shape[0], out.shape[1], -1))
