# wrong: v3 values-from-keys line 20, mask-added line 24
import math
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_size, dropout_prob=0.1):
        super().__init__()
        self.q_layer = nn.Linear(hidden_size, hidden_size)
        self.k_layer = nn.Linear(hidden_size, hidden_size)
        self.v_layer = nn.Linear(hidden_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.attn_dropout = nn.Dropout(dropout_prob)
        self.norm_fact = math.sqrt(hidden_size)

    def forward(self, input_tensor, attention_mask=None):
        mixed_q = self.q_layer(input_tensor)
        mixed_k = self.k_layer(input_tensor)
        mixed_v = self.k_layer(input_tensor)
        scores = torch.matmul(mixed_q, mixed_k.transpose(-1, -2)) / self.norm_fact
        # [batch, from_seq, to_seq]
        if attention_mask is not None:
            scores += attention_mask
        probs = self.attn_dropout(nn.Softmax(dim=-1)(scores))
        return self.output(torch.matmul(probs, mixed_v))
