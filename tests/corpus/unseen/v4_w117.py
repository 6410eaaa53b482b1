import math

import torch
from torch import nn

MASKERS = {}


def masker(*dtypes):
    def register(fn):
        for dt in dtypes:
            MASKERS[dt] = fn
        return fn
    return register


@masker(torch.bool)
def apply_bool_mask(logits, mask):
    return logits.masked_fill(~mask, torch.finfo(logits.dtype).min)


@masker(torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
def apply_int_mask(logits, mask):
    return logits.masked_fill(mask == 0, torch.finfo(logits.dtype).min)


@masker(torch.float16, torch.bfloat16, torch.float32, torch.float64)
def apply_float_mask(logits, mask):
    return logits + mask.to(logits.dtype)


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.query_layer = nn.Linear(hidden_dim, hidden_dim)
        self.key_layer = nn.Linear(hidden_dim, hidden_dim)
        self.value_layer = nn.Linear(hidden_dim, hidden_dim)
        self.weight_dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        logits = torch.matmul(self.query_layer(x), self.key_layer(x).transpose(-2, -1))
        logits = logits / math.sqrt(self.hidden_dim)
        if attention_mask is not None:
            logits = MASKERS[attention_mask.dtype](logits, attention_mask)
        weights = self.weight_dropout(torch.softmax(logits, dim=-1))
        return torch.matmul(weights, self.value_layer(x))
