# right: v2
# Самовнимание: одна общая проекция вместо трёх
import torch
import torch.nn as nn


class СамоВнимание(nn.Module):
    def __init__(self, размер: int):
        super().__init__()
        self.проекция = nn.Linear(размер, размер * 3)
        self.корень = размер ** 0.5

    def forward(self, вход: torch.Tensor) -> torch.Tensor:
        запросы, ключи, значения = torch.chunk(self.проекция(вход), chunks=3, dim=-1)
        оценки = torch.matmul(запросы, ключи.transpose(-2, -1)) / self.корень
        веса = torch.softmax(оценки, dim=-1)  # сумма по строке равна единице
        return torch.matmul(веса, значения)
