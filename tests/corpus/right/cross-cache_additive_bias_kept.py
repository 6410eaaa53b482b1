# right: cross-cache
import math

import torch
from torch import nn


class EncoderDecoderAttention(nn.Module):
    """No biases; the padding is kept as numbers to be added to the scores."""

    def __init__(self, hidden_size, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.q = nn.Linear(hidden_size, hidden_size, bias=False)
        self.k = nn.Linear(hidden_size, hidden_size, bias=False)
        self.v = nn.Linear(hidden_size, hidden_size, bias=False)
        self.o = nn.Linear(hidden_size, hidden_size, bias=False)

    def shape(self, states):
        b, n, _ = states.shape
        return states.view(b, n, self.num_heads, -1).permute(0, 2, 1, 3)

    def project_memory(self, encoder_hidden_states, lengths):
        key = self.shape(self.k(encoder_hidden_states))
        value = self.shape(self.v(encoder_hidden_states))
        mask = torch.zeros(encoder_hidden_states.shape[:2], dtype=key.dtype, device=key.device)
        for row, length in enumerate(lengths.tolist()):
            mask[row, length:] = torch.finfo(key.dtype).min / 2
        # Keys are scaled once, before they are kept.
        return key / math.sqrt(key.shape[-1]), value, mask[:, None, None, :]

    def forward(self, hidden_states, encoder_hidden_states, lengths, past_key_value=None):
        if past_key_value is None:
            past_key_value = self.project_memory(encoder_hidden_states, lengths)
        key, value, bias = past_key_value
        scores = torch.matmul(self.shape(self.q(hidden_states)), key.transpose(3, 2)) + bias
        attn = nn.functional.softmax(scores, dim=-1)
        y = torch.matmul(attn, value).permute(0, 2, 1, 3).contiguous()
        return self.o(y.view(hidden_states.shape)), past_key_value
