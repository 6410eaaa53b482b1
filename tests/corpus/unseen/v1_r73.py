from dataclasses import dataclass
from enum import IntEnum
import torch
from torch import nn, Tensor


class Role(IntEnum):
    READER = 0
    PAYLOAD = 1
    ADDRESS = 2


@dataclass(frozen=True)
class HeadConfig:
    width: int
    init_scale: float = 0.02

    @property
    def inv_temperature(self) -> float:
        return self.width ** -0.5


class _Bank(nn.Module):
    """A bank of three affine maps, stored as one (3, D, D) tensor."""

    def __init__(self, cfg: HeadConfig):
        super().__init__()
        self.cfg = cfg
        self.W = nn.Parameter(cfg.init_scale * torch.randn(len(Role), cfg.width, cfg.width))
        self.b = nn.Parameter(torch.zeros(len(Role), cfg.width))

    def project(self, x: Tensor, role: Role) -> Tensor:
        return torch.matmul(x, self.W[role]) + self.b[role]


class SelfAttentionV1(_Bank):
    def __init__(self, hidden_dim: int):
        super().__init__(HeadConfig(hidden_dim))

    def forward(self, x: Tensor) -> Tensor:
        reader = self.project(x, Role.READER) * self.cfg.inv_temperature
        address = self.project(x, Role.ADDRESS)
        payload = self.project(x, Role.PAYLOAD)
        affinity = torch.baddbmm(
            reader.new_zeros(()).expand(x.size(0), x.size(1), x.size(1)),
            reader, address.mT, beta=0.0,
        )
        log_w = affinity - torch.logsumexp(affinity, dim=-1, keepdim=True)
        return log_w.exp().bmm(payload)
