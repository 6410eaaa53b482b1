# attn-kata: mha
# From a TensorFlow 1 code base: attention_probs are kept with probability keep_prob.
import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_attention_heads = num_heads
        self.size_per_head = int(hidden_dim / num_heads)
        self.query_layer = nn.Linear(hidden_dim, hidden_dim)
        self.key_layer = nn.Linear(hidden_dim, hidden_dim)
        self.value_layer = nn.Linear(hidden_dim, hidden_dim)
        self.output_layer = nn.Linear(hidden_dim, hidden_dim)
        keep_prob = 1.0 - dropout
        self.attention_dropout = nn.Dropout(keep_prob)

    def transpose_for_scores(self, input_tensor, batch_size, seq_length):
        output_tensor = torch.reshape(
            input_tensor, [batch_size, seq_length, self.num_attention_heads, self.size_per_head]
        )
        return output_tensor.permute(0, 2, 1, 3)

    def forward(self, x, attention_mask=None):
        batch_size, seq_length, width = x.shape
        query = self.transpose_for_scores(self.query_layer(x), batch_size, seq_length)
        key = self.transpose_for_scores(self.key_layer(x), batch_size, seq_length)
        value = self.transpose_for_scores(self.value_layer(x), batch_size, seq_length)

        attention_scores = torch.matmul(query, key.transpose(2, 3))
        attention_scores = attention_scores * (1.0 / math.sqrt(float(self.size_per_head)))
        if attention_mask is not None:
            lowest = torch.finfo(attention_scores.dtype).min
            attention_scores = torch.where(attention_mask.bool(), attention_scores, lowest)

        attention_probs = self.attention_dropout(attention_scores.softmax(dim=-1))
        context_layer = torch.matmul(attention_probs, value).permute(0, 2, 1, 3)
        return self.output_layer(context_layer.reshape(batch_size, seq_length, width))
