# right: v1
import torch
from torch import nn, Tensor


class A(nn.Module):
    def __init__(self, n: int) -> None:
        super().__init__()
        self.n = n
        self.lin = nn.ModuleDict({name: nn.Linear(n, n, bias=name == "v") for name in "qkv"})

    def forward(self, x: Tensor) -> Tensor:
        s = self.lin["q"](x) @ self.lin["k"](x).transpose(1, 2)
        s = s * (self.n ** -0.5)
        log_w = s - torch.logsumexp(s, dim=2, keepdim=True)
        return log_w.exp() @ self.lin["v"](x)
