import torch
from torch import nn


class Dense(nn.Linear):
    """Like tf.keras.layers.Dense, with the input's width given."""

    def __init__(self, units, input_dim, use_bias=True):
        super().__init__(input_dim, units, bias=use_bias)
        nn.init.xavier_uniform_(self.weight)
        if use_bias:
            nn.init.zeros_(self.bias)


def dropout_layer(x, keep_prob, training):
    if not training or keep_prob >= 1.0:
        return x
    noise = torch.rand_like(x) < keep_prob
    return x * noise / keep_prob


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.dropout = dropout
        self.query_dense = Dense(hidden_dim, hidden_dim)
        self.key_dense = Dense(hidden_dim, hidden_dim)
        self.value_dense = Dense(hidden_dim, hidden_dim)
        self.output_dense = Dense(hidden_dim, hidden_dim)

    def forward(self, inputs, attention_mask=None):
        query = self.query_dense(inputs)
        key = self.key_dense(inputs)
        value = self.value_dense(inputs)

        matmul_qk = torch.matmul(query, key.transpose(1, 2))
        dk = torch.tensor(float(self.hidden_dim), dtype=matmul_qk.dtype, device=matmul_qk.device)
        scaled_attention_logits = matmul_qk / torch.sqrt(dk)
        if attention_mask is not None:
            scaled_attention_logits = torch.where(
                attention_mask != 0, scaled_attention_logits, torch.finfo(matmul_qk.dtype).min
            )

        attention_weights = torch.softmax(scaled_attention_logits, dim=-1)
        attention_weights = dropout_layer(attention_weights, self.dropout, self.training)
        return self.output_dense(torch.matmul(attention_weights, value))
