# Atención como función: sin capas, solo la fórmula.
import torch
import torch.nn.functional as F


def _futuro(largo_q, largo_k, dispositivo):
    """Verdadero donde la clave viene después de la consulta (alineadas al final)."""
    todo = torch.ones(largo_q, largo_k, dtype=torch.bool, device=dispositivo)
    return torch.triu(todo, diagonal=largo_k - largo_q)


def attention(query, key, value, mask=None, causal=False):
    largo_q, dim = query.shape[-2:]
    largo_k = key.shape[-2]

    puntajes = torch.einsum("bhqd,bhkd->bhqk", query, key) / dim**0.5
    minimo = torch.finfo(puntajes.dtype).min

    if causal:
        puntajes = puntajes.masked_fill(_futuro(largo_q, largo_k, query.device), minimo)
    if mask is not None:
        # 1 = puede mirar, 0 = no puede
        puntajes = puntajes.masked_fill(torch.logical_not(mask), minimo)

    pesos = F.softmax(puntajes, dim=-1)
    return torch.einsum("bhqk,bhkv->bhqv", pesos, value)
