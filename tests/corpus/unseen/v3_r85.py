from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.autograd.function import FunctionCtx


class MaskedSoftmax(torch.autograd.Function):
    """softmax over what is shown, 0 elsewhere; a row that shows nothing is 0 as a whole"""

    @staticmethod
    def forward(ctx: FunctionCtx, scores: Tensor, shown: Tensor) -> Tensor:
        low = scores.masked_fill(~shown, float("-inf"))
        p = torch.nan_to_num(torch.softmax(low, dim=-1), nan=0.0)
        ctx.save_for_backward(p)
        return p

    @staticmethod
    def backward(ctx, g: Tensor):
        (p,) = ctx.saved_tensors
        gp = g * p
        return torch.addcmul(gp, p, gp.sum(-1, keepdim=True), value=-1), None


class SelfAttentionV3(nn.Module):
    """
    Parameters
    ----------
    hidden_dim : int
        Width of x and of the single head.
    dropout : float
        Rate on the weights; ``p_drop`` is the old name.
    """

    projections = ("query", "key", "value", "output")

    def __init__(self, hidden_dim: int, dropout: float = 0.1, *, p_drop: float | None = None) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout if p_drop is None else p_drop)
        for name in self.projections:
            weight = nn.Parameter(nn.init.orthogonal_(torch.empty(hidden_dim, hidden_dim)))
            self.register_parameter(f"{name}_weight", weight)
            self.register_parameter(f"{name}_bias", nn.Parameter(torch.zeros(hidden_dim)))

    def __getitem__(self, name: str):
        w, b = self._parameters[f"{name}_weight"], self._parameters[f"{name}_bias"]
        return lambda x: nn.functional.conv1d(x.mT, w.unsqueeze(-1), b).mT

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = (self[name](x) for name in self.projections[:3])
        scores = torch.einsum("...ic,...jc->...ij", q, k) / q.shape[-1] ** 0.5
        shown = torch.ones((), dtype=torch.bool, device=x.device) if attention_mask is None else attention_mask > 0
        weights = MaskedSoftmax.apply(scores, shown.expand(scores.shape))
        return self["output"](self.dropout(weights) @ v)
