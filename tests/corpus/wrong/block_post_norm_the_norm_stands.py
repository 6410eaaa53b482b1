# wrong: block post-norm line 57
# fair: post-norm 58
import math

import torch
from torch import nn


class BertSelfAttention(nn.Module):
    def __init__(self, hidden_size, num_attention_heads):
        super().__init__()
        self.num_attention_heads = num_attention_heads
        self.attention_head_size = hidden_size // num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(hidden_size, hidden_size)
        self.value = nn.Linear(hidden_size, hidden_size)
        self.dense = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(0.1)

    def transpose_for_scores(self, x):
        new_x_shape = x.size()[:-1] + (self.num_attention_heads, self.attention_head_size)
        return x.view(new_x_shape).permute(0, 2, 1, 3)

    def forward(self, hidden_states):
        query_layer = self.transpose_for_scores(self.query(hidden_states))
        key_layer = self.transpose_for_scores(self.key(hidden_states))
        value_layer = self.transpose_for_scores(self.value(hidden_states))

        attention_scores = torch.matmul(query_layer, key_layer.transpose(-1, -2))
        attention_scores = attention_scores / math.sqrt(self.attention_head_size)
        n = attention_scores.size(-1)
        keep = torch.ones(n, n, device=attention_scores.device).tril()
        attention_scores = attention_scores.masked_fill(keep == 0, float("-inf"))
        attention_probs = self.dropout(attention_scores.softmax(dim=-1))

        context_layer = torch.matmul(attention_probs, value_layer)
        context_layer = context_layer.permute(0, 2, 1, 3).contiguous()
        context_layer = context_layer.view(hidden_states.size())
        return self.dense(context_layer)


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.attention = BertSelfAttention(hidden_dim, num_heads)
        self.norm_1 = nn.LayerNorm(hidden_dim)
        self.intermediate = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.intermediate_act_fn = nn.GELU()
        self.output = nn.Linear(4 * hidden_dim, hidden_dim)
        self.norm_2 = nn.LayerNorm(hidden_dim)
        self.dropout = nn.Dropout(0.1)

    def feed_forward_chunk(self, h):
        return self.output(self.intermediate_act_fn(self.intermediate(h)))

    def forward(self, x):
        attended = self.norm_1(x + self.dropout(self.attention(x)))
        output = self.norm_2(attended + self.dropout(self.feed_forward_chunk(attended)))
        return output
