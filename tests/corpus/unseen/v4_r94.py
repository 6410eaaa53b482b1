import torch
from torch import nn
from torch.autograd import Function


class RowSoftmax(Function):
    """softmax over the last axis with its own backward: dz = p * (dp - <p, dp>)."""

    generate_vmap_rule = True

    @staticmethod
    def forward(z):
        e = (z - z.amax(dim=-1, keepdim=True)).exp()
        return e / e.sum(dim=-1, keepdim=True)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, dp):
        (p,) = ctx.saved_tensors
        inner = (p * dp).sum(dim=-1, keepdim=True)
        return p * (dp - inner)


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)
        self.inv_sqrt = hidden_dim ** -0.5

    def forward(self, x, attention_mask=None):
        z = torch.matmul(self.query(x) * self.inv_sqrt, self.key(x).transpose(-1, -2))
        if attention_mask is not None:
            z = z.masked_fill(attention_mask.logical_not(), torch.finfo(z.dtype).min)
        p = self.dropout(RowSoftmax.apply(z))
        return self.output(torch.matmul(p, self.value(x)))
