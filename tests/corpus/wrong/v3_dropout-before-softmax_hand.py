# wrong: v3 dropout-before-softmax line 23
import torch
import torch.nn as nn

class SelfAttention(nn.Module):
    def __init__(self, hidden_size, attn_dropout=0.1):
        super().__init__()
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(hidden_size, hidden_size)
        self.value = nn.Linear(hidden_size, hidden_size)
        self.out = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(attn_dropout)
        self.hidden_size = hidden_size

    def forward(self, hidden_states, attention_mask=None):
        """hidden_states: [bs, seq_len, hidden_size]; attention_mask: [bs, seq_len, seq_len]"""
        query_layer = self.query(hidden_states)
        key_layer = self.key(hidden_states)
        value_layer = self.value(hidden_states)

        attention_scores = torch.matmul(query_layer, key_layer.transpose(-1, -2))
        attention_scores = attention_scores / self.hidden_size ** 0.5
        attention_scores = self.dropout(attention_scores)
        if attention_mask is not None:
            attention_scores = attention_scores + (1.0 - attention_mask.to(attention_scores)) * -10000.0
        attention_probs = nn.Softmax(dim=-1)(attention_scores)
        context_layer = torch.matmul(attention_probs, value_layer)
        return self.out(context_layer)
