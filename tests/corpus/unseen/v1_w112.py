import torch
from torch import nn


def matmul(a, b, transpose_a=False, transpose_b=False):
    """Like tf.linalg.matmul."""
    if transpose_a:
        a = torch.transpose(a, -1, -2)
    if transpose_b:
        b = torch.transpose(b, -1, -2)
    return torch.matmul(a, b)


def Dense(units, input_dim, use_bias=True):
    layer = nn.Linear(input_dim, units, bias=use_bias)
    nn.init.xavier_uniform_(layer.weight)  # glorot_uniform
    if use_bias:
        nn.init.zeros_(layer.bias)
    return layer


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.units = hidden_dim
        self.q_dense = Dense(self.units, hidden_dim)
        self.k_dense = Dense(self.units, hidden_dim)
        self.v_dense = Dense(self.units, hidden_dim)

    def call(self, inputs):
        q = self.q_dense(inputs)
        k = self.k_dense(inputs)
        v = self.v_dense(inputs)
        dk = float(k.shape[-1])
        scaled_attention_logits = matmul(q, k, transpose_b=True) / dk ** 0.5
        attention_weights = torch.softmax(scaled_attention_logits, axis=-1)
        outputs = matmul(attention_weights, v, transpose_a=True)
        return outputs

    def forward(self, x):
        return self.call(inputs=x)
