# wrong: v1 query-not-projected line 19
from __future__ import annotations

import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    """Auto-atención de una sola cabeza (sin máscara)."""

    def __init__(self, hidden_dim: int = 728):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        consulta = x
        clave = self.k_proj(x)
        valor = self.v_proj(x)
        puntajes = consulta @ clave.transpose(-2, -1)
        pesos = torch.softmax(puntajes / self.hidden_dim ** 0.5, dim=-1)
        return pesos @ valor
