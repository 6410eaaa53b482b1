# right: mha
# TensorFlow tutorial names in torch; returns (weights, output) the way an old colleague liked it
import torch
from torch import nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, rate=0.1):
        super(MultiHeadAttention, self).__init__()
        self.num_heads = num_heads
        self.d_model = d_model
        assert d_model % self.num_heads == 0
        self.depth = d_model // self.num_heads
        self.Wq = nn.Linear(d_model, d_model)
        self.Wk = nn.Linear(d_model, d_model)
        self.Wv = nn.Linear(d_model, d_model)
        self.dense = nn.Linear(d_model, d_model)
        self.rate = rate

    def split_heads(self, x, batch_size):
        x = torch.reshape(x, (batch_size, -1, self.num_heads, self.depth))
        return torch.permute(x, (0, 2, 1, 3))

    def call(self, v, k, q, mask):
        batch_size = q.shape[0]
        q = self.split_heads(self.Wq(q), batch_size)
        k = self.split_heads(self.Wk(k), batch_size)
        v = self.split_heads(self.Wv(v), batch_size)

        matmul_qk = q @ torch.transpose(k, -1, -2)
        dk = float(k.shape[-1])
        scaled = matmul_qk / dk ** 0.5
        if mask is not None:
            scaled = scaled + (1 - mask.to(scaled.dtype)) * -1e9
        attention_weights = F.softmax(scaled, dim=-1)
        dropped = F.dropout(attention_weights, self.rate, training=self.training)

        out = torch.permute(dropped @ v, (0, 2, 1, 3))
        out = torch.reshape(out, (batch_size, -1, self.d_model))
        return attention_weights, self.dense(out)

    def forward(self, v, k, q, mask=None):
        return self.call(v, k, q, mask)
