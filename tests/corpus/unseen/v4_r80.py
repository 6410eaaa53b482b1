from __future__ import annotations

import torch
from torch import Tensor, nn


def привести_маску(модуль, args, kwargs):
    """Хук: маска любого типа становится булевой (True = можно смотреть)."""
    args = list(args)
    if len(args) > 1 and args[1] is not None:
        args[1] = args[1] != 0
    if kwargs.get("attention_mask") is not None:
        kwargs["attention_mask"] = kwargs["attention_mask"] != 0
    return tuple(args), kwargs


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.запрос = nn.Linear(hidden_dim, hidden_dim)
        self.ключ = nn.Linear(hidden_dim, hidden_dim)
        self.значение = nn.Linear(hidden_dim, hidden_dim)
        self.выход = nn.Linear(hidden_dim, hidden_dim)
        self.отсев = nn.Dropout(dropout)
        self.register_forward_pre_hook(привести_маску, with_kwargs=True)

    def _оценки(self, x: Tensor) -> Tensor:
        q, k = self.запрос(x), self.ключ(x)
        return q @ k.mT * k.shape[-1] ** -0.5

    def _веса(self, оценки: Tensor, маска: Tensor | None) -> Tensor:
        if маска is not None:
            # конечное число: пустая строка не даёт NaN
            оценки = оценки.masked_fill(~маска, torch.finfo(оценки.dtype).min)
        return self.отсев(оценки.softmax(dim=-1))

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        веса = self._веса(self._оценки(x), attention_mask)
        return self.выход(веса @ self.значение(x))
