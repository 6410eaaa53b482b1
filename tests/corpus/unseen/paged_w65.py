# Decodificación sobre una caché por páginas, bloque a bloque y para todo el lote a la vez.
import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    lote, cabezas, dim = query.shape
    _, tam, kv, _ = key_pool.shape
    veces = cabezas // kv
    tipo = torch.promote_types(query.dtype, torch.float32)

    q = query.to(tipo).reshape(lote, kv, veces, dim) * dim ** -0.5
    maximo = torch.zeros(lote, kv, veces, 1, dtype=tipo, device=query.device)
    suma = torch.zeros_like(maximo)
    acumulado = torch.zeros_like(q)

    usados = (int(lengths.max()) + tam - 1) // tam
    for i in range(usados):
        # posiciones de este bloque y cuáles son de cada secuencia
        pos = i * tam + torch.arange(tam, device=query.device)
        propio = pos.unsqueeze(0) < lengths.unsqueeze(1)               # (lote, tam)
        bloque = block_table[:, i].long()
        k = key_pool[bloque].to(tipo)                                  # (lote, tam, kv, dim)
        v = value_pool[bloque].to(tipo)
        v = torch.where(propio[:, :, None, None], v, 0.0)

        s = torch.einsum("bgrd,btgd->bgrt", q, k)
        s = s.masked_fill(~propio[:, None, None, :], float("-inf"))
        nuevo = torch.maximum(maximo, s.amax(-1, keepdim=True))
        p = (s - nuevo).exp()
        factor = (maximo - nuevo).exp()
        suma = suma * factor + p.sum(-1, keepdim=True)
        acumulado = acumulado * factor + torch.einsum("bgrt,btgd->bgrd", p, v)
        maximo = nuevo

    return (acumulado / suma).reshape(lote, cabezas, dim).to(query.dtype)
