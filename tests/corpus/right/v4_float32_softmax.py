# right: v4
import math
import torch
from torch import nn


class LlamaLikeSingleHead(nn.Module):
    def __init__(self, hidden_size: int, attention_dropout: float = 0.1):
        super().__init__()
        self.hidden_size = hidden_size
        self.attention_dropout = attention_dropout
        self.q_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.k_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.v_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.o_proj = nn.Linear(hidden_size, hidden_size, bias=False)

    def forward(self, hidden_states, attention_mask=None, output_attentions=False):
        query_states = self.q_proj(hidden_states)
        key_states = self.k_proj(hidden_states)
        value_states = self.v_proj(hidden_states)
        attn_weights = torch.matmul(query_states, key_states.transpose(1, 2)) / math.sqrt(self.hidden_size)
        if attention_mask is not None:
            attn_weights = attn_weights.masked_fill(attention_mask < 0.5, float("-inf"))
        # upcast attention to fp32
        attn_weights = nn.functional.softmax(attn_weights, dim=-1, dtype=torch.float32).to(query_states.dtype)
        attn_weights = nn.functional.dropout(attn_weights, p=self.attention_dropout, training=self.training)
        attn_output = self.o_proj(torch.matmul(attn_weights, value_states))
        if not output_attentions:
            attn_weights = None
        return attn_output, attn_weights
