# attn-kata: block
import torch
import torch.nn.functional as F
from torch import nn


class PreNormResidual(nn.Module):
    """Add()([x, sublayer(LayerNormalization()(x))])"""

    def __init__(self, dim, sublayer):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(dim))
        self.beta = nn.Parameter(torch.zeros(dim))
        self.sublayer = sublayer

    def forward(self, inputs):
        normed = F.layer_norm(inputs, inputs.shape[-1:], self.gamma, self.beta, 1e-5)
        return inputs + self.sublayer(normed)


class CausalMHA(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query_dense = nn.Linear(dim, dim)
        self.key_dense = nn.Linear(dim, dim)
        self.value_dense = nn.Linear(dim, dim)
        self.output_dense = nn.Linear(dim, dim)

    def forward(self, x):
        q = self.query_dense(x).unflatten(2, (self.heads, -1))
        k = self.key_dense(x).unflatten(2, (self.heads, -1))
        v = self.value_dense(x).unflatten(2, (self.heads, -1))
        logits = torch.einsum("aecd,abcd->acbe", k, q * q.size(-1) ** -0.5)
        t = x.size(1)
        logits = logits + logits.new_full((t, t), -torch.inf).triu(1)
        return self.output_dense(torch.einsum("acbe,aecd->abcd", logits.softmax(-1), v).flatten(2))


class ErfGelu(nn.Module):
    def forward(self, x):
        return 0.5 * x * (1.0 + torch.erf(x * 0.5 ** 0.5))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        mlp = nn.Sequential(nn.Linear(hidden_dim, 4 * hidden_dim), ErfGelu(), nn.Linear(4 * hidden_dim, hidden_dim))
        self.layers = nn.Sequential(
            PreNormResidual(hidden_dim, CausalMHA(hidden_dim, num_heads)), PreNormResidual(hidden_dim, mlp)
        )

    def forward(self, x):
        return self.layers(x)
