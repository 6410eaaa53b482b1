import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, hidden_size, num_attention_heads, dropout=0.0, bias=True):
        super().__init__()
        self.num_attention_heads = num_attention_heads
        self.attention_head_size = hidden_size // num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size, bias=bias)
        self.key = nn.Linear(hidden_size, hidden_size, bias=bias)
        self.value = nn.Linear(hidden_size, hidden_size, bias=bias)
        self.dense = nn.Linear(hidden_size, hidden_size, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def transpose_for_scores(self, x):
        shape = x.size()[:-1] + (self.num_attention_heads, self.attention_head_size)
        return x.view(shape).permute(0, 2, 1, 3)

    def extended(self, mask):
        if mask.dim() == 3:
            return mask.view(-1, self.num_attention_heads, *mask.shape[1:])
        return mask[None, None, :, :]

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True):
        query_layer = self.transpose_for_scores(self.query(query))
        key_layer = self.transpose_for_scores(self.key(key))
        value_layer = self.transpose_for_scores(self.value(value))
        scores = torch.matmul(query_layer, key_layer.transpose(-1, -2))
        scores = scores / (self.attention_head_size ** 0.5)
        low = torch.finfo(scores.dtype).min
        if attn_mask is not None and attn_mask.dtype != torch.bool:
            scores = scores + self.extended(attn_mask)
        if attn_mask is not None and attn_mask.dtype == torch.bool:
            scores = scores.masked_fill(self.extended(attn_mask), low)
        if key_padding_mask is not None:
            scores = scores.masked_fill(key_padding_mask[:, None, None, :], low)
        probs = nn.functional.softmax(scores, dim=-1)
        context = torch.matmul(self.dropout(probs), value_layer)
        context = context.permute(0, 2, 1, 3).contiguous()
        context = context.view(context.size(0), context.size(1), -1)
        output = self.dense(context)
        returned = None
        if need_weights:
            returned = probs.mean(1) if average_attn_weights else probs
        return output, returned
