# right: v1
import torch
from torch import Tensor, nn
from torch.nn.parameter import Parameter


class SelfAttentionV1(nn.Module):
    __constants__ = ["hidden_dim"]
    hidden_dim: int

    def __init__(self, hidden_dim: int, device=None, dtype=None) -> None:
        factory_kwargs = {"device": device, "dtype": dtype}
        super().__init__()
        self.hidden_dim = hidden_dim
        for name in "qkv":
            setattr(self, f"W_{name}", Parameter(torch.empty(hidden_dim, hidden_dim, **factory_kwargs)))
            setattr(self, f"b_{name}", Parameter(torch.empty(hidden_dim, **factory_kwargs)))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)
            else:
                nn.init.zeros_(p)

    def forward(self, input: Tensor) -> Tensor:
        q = torch.addmm(self.b_q, input.flatten(0, 1), self.W_q).view_as(input)
        k = torch.addmm(self.b_k, input.flatten(0, 1), self.W_k).view_as(input)
        v = torch.addmm(self.b_v, input.flatten(0, 1), self.W_v).view_as(input)
        logits = torch.baddbmm(
            torch.zeros((), device=input.device, dtype=input.dtype), q, k.mT, beta=0, alpha=self.hidden_dim**-0.5
        )
        return logits.softmax(-1).bmm(v)

    def extra_repr(self) -> str:
        return f"hidden_dim={self.hidden_dim}"
