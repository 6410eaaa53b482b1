# right: v3 remarks: returns-tuple
import torch
from torch import nn


class SelfAttn(nn.Module):
    def __init__(self, d_model, p_drop=0.1):
        super().__init__()
        self.layers = nn.ModuleDict(
            {
                "out": nn.Linear(d_model, d_model),
                "value": nn.Linear(d_model, d_model),
                "key": nn.Linear(d_model, d_model),
                "query": nn.Linear(d_model, d_model),
            }
        )
        self.p = nn.Dropout(p_drop)

    def forward(self, x, mask=None, need_weights=True):
        q = self.layers["query"](x)
        k = self.layers["key"](x)
        v = self.layers["value"](x)
        energy = torch.baddbmm(q.new_zeros(1), q, k.transpose(1, 2), alpha=q.size(-1) ** -0.5)
        if mask is not None:
            energy = energy.masked_fill(mask == 0, torch.finfo(energy.dtype).min)
        attention = torch.softmax(energy, dim=-1)
        out = self.layers["out"](self.p(attention) @ v)
        return (out, attention) if need_weights else out
