import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    """I never remember in_features, so the layers find it out: one dry run builds them."""

    def __init__(self, hidden_dim: int, dropout: float = 0.1, *, bias: bool = True):
        super().__init__()
        self.proj = nn.ModuleDict(
            {
                "src": nn.LazyLinear(hidden_dim, bias=bias),    # what is looked for
                "dst": nn.LazyLinear(hidden_dim, bias=bias),    # what is offered
                "msg": nn.LazyLinear(hidden_dim, bias=bias),    # what is passed on
                "mix": nn.LazyLinear(hidden_dim, bias=bias),
            }
        )
        self.drop = nn.Dropout(dropout)
        with torch.no_grad():
            self(torch.zeros(1, 1, hidden_dim))

    @classmethod
    def from_config(cls, config: dict):
        return cls(**{k: config[k] for k in ("hidden_dim", "dropout", "bias") if k in config})

    def forward(self, x, attention_mask=None):
        src, dst, msg = (self.proj[name](x) for name in ("src", "dst", "msg"))
        # edges[b, i, j]: how much node i listens to node j
        edges = (src.unsqueeze(2) * dst.unsqueeze(1)).sum(-1).div(src.size(-1) ** 0.5)
        if attention_mask is not None:
            closed = torch.eq(attention_mask, 0)
            edges = edges.masked_fill(closed, torch.finfo(edges.dtype).min)
        edges = self.drop(edges.softmax(-1))
        return self.proj["mix"]((edges.unsqueeze(-1) * msg.unsqueeze(1)).sum(2))
