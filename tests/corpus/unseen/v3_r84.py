import torch
from torch import Tensor, nn


class SelfAttentionV3(nn.Module):
    """The mask as a factor beside exp: hidden keys get the weight 0 by a product, before the division.

    The maximum is taken over what is shown, so that nothing shown can underflow.
    """

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.w = nn.ParameterList([nn.Parameter(torch.randn(hidden_dim, hidden_dim) / hidden_dim**0.5) for _ in "qkvo"])
        self.hidden_dim = hidden_dim
        self.rate = nn.Dropout(dropout, inplace=False)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        wq, wk, wv, wo = self.w
        # (x Wq)(x Wk)^T = x (Wq Wk^T) x^T: from the inside out
        scores = torch.linalg.multi_dot([wq, wk.t()]).div(self.hidden_dim**0.5)
        scores = torch.einsum("bia,ac,bjc->bij", x, scores, x)
        shown = torch.ones_like(scores, dtype=torch.bool) if attention_mask is None else attention_mask != 0
        low = torch.where(shown, scores, torch.finfo(scores.dtype).min)
        top = low.amax(dim=-1, keepdim=True)
        e = torch.where(shown, scores - top, 0.0).exp() * shown
        weights = self.rate(e / e.sum(dim=-1, keepdim=True))
        return weights @ (x @ wv) @ wo
