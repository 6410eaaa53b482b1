# Pase hacia adelante de FlashAttention: consultas y claves en bloques, softmax acumulado.
import math

import torch


def flash_attention(query, key, value, block_size, causal=False):
    lote, cabezas, largo, dim = query.shape
    salida = torch.empty_like(query)

    for qi in range(0, largo, block_size):
        q = query[:, :, qi : qi + block_size] / math.sqrt(dim)
        filas = torch.arange(qi, qi + q.shape[2], device=q.device)
        maximo = q.new_full((lote, cabezas, q.shape[2], 1), float("-inf"))
        suma = torch.zeros_like(maximo)
        acumulado = torch.zeros_like(q)

        # con causal, los bloques posteriores a estas consultas no hacen falta
        limite = min(qi + block_size, largo) if causal else largo
        for ki in range(0, limite, block_size):
            k = key[:, :, ki : ki + block_size]
            v = value[:, :, ki : ki + block_size]
            puntajes = q @ k.transpose(-2, -1)
            if causal:
                columnas = torch.arange(ki, ki + k.shape[2], device=q.device)
                puntajes = puntajes.masked_fill(columnas > filas[:, None], float("-inf"))

            nuevo = puntajes.max(dim=-1, keepdim=True).values
            factor = torch.exp(maximo - nuevo)
            exponenciales = torch.exp(puntajes - nuevo)
            suma = factor * suma + exponenciales.sum(dim=-1, keepdim=True)
            acumulado = factor * acumulado + exponenciales @ v
            maximo = nuevo

        salida[:, :, qi : qi + block_size] = acumulado / suma
    return salida
