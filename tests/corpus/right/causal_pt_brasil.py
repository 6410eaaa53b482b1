# right: causal
# Atenção causal com várias cabeças (curso de português, aula 7)
import torch
import torch.nn as nn
import torch.nn.functional as F


class AtencaoCausal(nn.Module):
    def __init__(self, dim, cabecas, contexto):
        super().__init__()
        if dim % cabecas:
            raise ValueError("dim deve ser divisível por cabecas")
        self.cabecas = cabecas
        self.dim_cabeca = dim // cabecas
        self.w_chave = nn.Linear(dim, dim)
        self.w_consulta = nn.Linear(dim, dim)
        self.w_valor = nn.Linear(dim, dim)
        self.w_saida = nn.Linear(dim, dim)
        futuro = torch.full((contexto, contexto), float("-inf")).triu(1)
        self.register_buffer("futuro", futuro)

    def separa(self, t):
        return t.unflatten(-1, (self.cabecas, self.dim_cabeca)).transpose(1, 2)

    def forward(self, x):
        n = x.shape[1]
        consulta, chave, valor = map(self.separa, (self.w_consulta(x), self.w_chave(x), self.w_valor(x)))
        pontos = consulta @ chave.transpose(-2, -1) / self.dim_cabeca ** 0.5
        pontos = pontos + self.futuro[:n, :n]
        pesos = F.softmax(pontos, dim=-1)
        return self.w_saida((pesos @ valor).transpose(1, 2).flatten(start_dim=2))
