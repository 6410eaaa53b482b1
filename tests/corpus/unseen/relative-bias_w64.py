# Sesgo de posición relativa al estilo de T5.
import math

import torch


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    cubos = num_buckets
    base = torch.zeros_like(relative_position)
    if bidirectional:
        cubos = num_buckets // 2
        # la mitad de arriba es para lo que viene después de la consulta
        base = base + (relative_position > 0) * cubos
        distancia = relative_position.abs()
    else:
        distancia = (-relative_position).clamp(min=0)

    exactos = cubos // 2
    cerca = distancia < exactos
    # los lejanos crecen con el logaritmo; el clamp evita log(0)
    razon = distancia.clamp(min=1).double() / exactos
    lejos = exactos + (razon.log() / math.log(max_distance / exactos) * (cubos - exactos)).long()
    lejos = lejos.clamp(max=num_buckets - 1)
    return base + torch.where(cerca, distancia, lejos)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    consulta = torch.arange(key_length - query_length, key_length, device=table.device)
    clave = torch.arange(key_length, device=table.device)
    n = bucket(clave[None] - consulta[:, None], bidirectional, table.size(0), max_distance)
    return table[n].permute(2, 0, 1)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    nq, nk = query.size(-2), key.size(-2)
    puntos = query @ key.mT + bias(table, nq, nk, bidirectional, max_distance)
    if not bidirectional:
        visible = torch.ones(nq, nk, dtype=torch.bool, device=query.device).tril(nk - nq)
        puntos = puntos.masked_fill(~visible, float("-inf"))
    return puntos.softmax(-1) @ value
