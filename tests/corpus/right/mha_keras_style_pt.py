# right: mha remarks: returns-tuple, fill-overflows-half
# Atenção de múltiplas cabeças, traduzida de um curso de Keras.
import torch
from torch import nn


def produto_escalar(q, k, v, mascara, dropout):
    qk = torch.matmul(q, torch.transpose(k, -1, -2))
    dk = torch.tensor(k.shape[-1], dtype=q.dtype, device=q.device)
    logits = qk / torch.sqrt(dk)
    if mascara is not None:
        logits = logits + (1.0 - mascara.to(logits.dtype)) * -1e9
    pesos = dropout(torch.softmax(logits, dim=-1))
    return torch.matmul(pesos, v), pesos


class AtencaoMultiCabeca(nn.Module):
    def __init__(self, dim_modelo, num_cabecas, taxa=0.1):
        super().__init__()
        self.dim_modelo = dim_modelo
        self.num_cabecas = num_cabecas
        self.profundidade = dim_modelo // num_cabecas
        self.densa_q = nn.Linear(dim_modelo, dim_modelo)
        self.densa_k = nn.Linear(dim_modelo, dim_modelo)
        self.densa_v = nn.Linear(dim_modelo, dim_modelo)
        self.densa_saida = nn.Linear(dim_modelo, dim_modelo)
        self.dropout = nn.Dropout(taxa)

    def dividir(self, x):
        x = torch.reshape(x, (x.shape[0], -1, self.num_cabecas, self.profundidade))
        return torch.permute(x, (0, 2, 1, 3))

    def forward(self, x, mascara=None):
        q = self.dividir(self.densa_q(x))
        k = self.dividir(self.densa_k(x))
        v = self.dividir(self.densa_v(x))
        saida, pesos = produto_escalar(q, k, v, mascara, self.dropout)
        saida = torch.permute(saida, (0, 2, 1, 3))
        saida = torch.reshape(saida, (x.shape[0], -1, self.dim_modelo))
        return self.densa_saida(saida), pesos
