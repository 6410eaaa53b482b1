# right: causal
import torch
from torch import nn
from torch.nn.functional import dropout, linear, softmax


class CausalSelfAttention(nn.Module):
    """Packed (3D, D) matrix, additive mask grown on demand and kept on the input's device."""

    def __init__(self, d_model, nhead, *, block_size=1024, p=0.1):
        super().__init__()
        self.nhead, self.p, self.block_size = nhead, p, block_size
        self.weight = nn.Parameter(torch.empty(3 * d_model, d_model))
        self.bias = nn.Parameter(torch.zeros(3 * d_model))
        self.out_weight = nn.Parameter(torch.empty(d_model, d_model))
        nn.init.xavier_uniform_(self.weight)
        nn.init.xavier_uniform_(self.out_weight)

    @staticmethod
    def square_subsequent_mask(n, like):
        return torch.triu(like.new_full((n, n), float("-inf")), diagonal=1)

    def forward(self, src):
        b, t, c = src.size()
        q, k, v = linear(src, self.weight, self.bias).view(b, t, 3, self.nhead, -1).transpose(1, 3).unbind(2)
        logits = torch.matmul(q, k.mT) / (c / self.nhead) ** 0.5
        logits = logits + self.square_subsequent_mask(t, src)
        attn = dropout(softmax(logits, -1), self.p, self.training)
        return linear(torch.matmul(attn, v).transpose(1, 2).reshape(b, t, c), self.out_weight)
