import torch


def tf_matmul(a, b, transpose_b=False):
    return torch.matmul(a, b.transpose(-1, -2) if transpose_b else b)


def tf_softmax(logits, axis=1):
    logits = logits - torch.amax(logits, dim=axis, keepdim=True)
    exps = torch.exp(logits)
    return exps / torch.sum(exps, dim=axis, keepdim=True)


class SelfAttentionV2(torch.nn.Module):
    """Keras habits: kernel + bias, build in __init__, call in forward."""

    def __init__(self, hidden_dim):
        super().__init__()
        limit = (6.0 / (hidden_dim + 3 * hidden_dim)) ** 0.5
        self.kernel = torch.nn.Parameter(torch.empty(hidden_dim, 3 * hidden_dim).uniform_(-limit, limit))
        self.bias = torch.nn.Parameter(torch.zeros(3 * hidden_dim))
        self.units = hidden_dim

    def forward(self, inputs):
        qkv = tf_matmul(inputs, self.kernel) + self.bias
        query, key, value = torch.split(qkv, self.units, dim=-1)
        logits = tf_matmul(query, key, transpose_b=True) / self.units**0.5
        probabilities = tf_softmax(logits)
        return tf_matmul(probabilities, value)
