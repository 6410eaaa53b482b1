# Paso hacia atrás de FlashAttention, por bloques de claves.
import math

import torch


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    tipo = torch.promote_types(query.dtype, torch.float32)
    q, k, v = query.to(tipo), key.to(tipo), value.to(tipo)
    go = grad_output.to(tipo)
    escala = 1.0 / math.sqrt(q.shape[-1])
    # un número por consulta, antes de los bloques
    delta = torch.sum(go * output.to(tipo), dim=-1, keepdim=True)
    norma = lse.to(tipo)[..., None]

    grad_q = torch.zeros_like(q)
    grad_k, grad_v = [], []
    fila = torch.arange(q.shape[2], device=q.device)[:, None]
    inicio = 0
    for kb, vb in zip(k.chunk(block_size, dim=2), v.chunk(block_size, dim=2)):
        n = kb.shape[2]
        s = q @ kb.mT * escala
        p = torch.exp(s - norma)
        if causal:
            columna = torch.arange(inicio, inicio + n, device=q.device)
            p = p.masked_fill(columna > fila, 0.0)
        ds = p * (go @ vb.mT - delta)
        grad_v.append(p.mT @ go)
        grad_k.append(ds.mT @ q * escala)
        grad_q += ds @ kb * escala
        inicio += n

    return (
        grad_q.to(query.dtype),
        torch.cat(grad_k, dim=2).to(key.dtype),
        torch.cat(grad_v, dim=2).to(value.dtype),
    )
