# caché: una lista de diccionarios, uno por capa
import torch
from torch import nn
from torch.nn import functional as F


def mirar(q, k, v):
    """atención causal; las consultas son las últimas posiciones de las claves"""
    t, s = q.shape[-2], k.shape[-2]
    notas = torch.einsum("...qd,...kd->...qk", q, k) / q.shape[-1] ** 0.5
    futuro = torch.arange(s, device=q.device)[None, :] > torch.arange(s - t, s, device=q.device)[:, None]
    return notas.masked_fill(futuro, float("-inf")).softmax(-1) @ v


class Capa(nn.Module):
    def __init__(self, ancho, cabezas):
        super().__init__()
        self.cabezas = cabezas
        self.norma1 = nn.LayerNorm(ancho)
        self.norma2 = nn.LayerNorm(ancho)
        self.qkv = nn.ModuleList(nn.Linear(ancho, ancho) for _ in "qkv")
        self.salida = nn.Linear(ancho, ancho)
        self.sube = nn.Linear(ancho, 4 * ancho)
        self.baja = nn.Linear(4 * ancho, ancho)

    def forward(self, x, antes):
        h = self.norma1(x)
        q, k, v = [p(h).unflatten(-1, (self.cabezas, -1)).movedim(-2, 1) for p in self.qkv]
        if antes:
            k = torch.cat([antes["k"], k], dim=2)
            v = torch.cat([antes["v"], v], dim=2)
        ahora = {"k": k.detach(), "v": v.detach()}
        x = x + self.salida(mirar(q, k, v).movedim(1, -2).flatten(-2))
        x = x + self.baja(F.gelu(self.sube(self.norma2(x))))
        return x, ahora


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.fichas = nn.Embedding(vocab_size, hidden_dim)
        self.lugares = nn.Embedding(block_size, hidden_dim)
        self.capas = nn.ModuleList(Capa(hidden_dim, num_heads) for _ in range(num_layers))
        self.norma = nn.LayerNorm(hidden_dim)

    def forward(self, tokens, cache=None):
        antes = cache or [{} for _ in self.capas]
        desde = antes[0]["k"].shape[2] if cache else 0
        lugar = desde + torch.arange(tokens.shape[1], device=tokens.device)
        x = self.fichas(tokens) + self.lugares(lugar)
        despues = []
        for capa, pasado in zip(self.capas, antes):
            x, presente = capa(x, pasado)
            despues.append(presente)
        return F.linear(self.norma(x), self.fichas.weight), despues


def generate(model, tokens, count):
    model.eval()
    with torch.no_grad():
        texto, nuevo, cache = tokens, tokens, None
        for _ in range(count):
            logits, cache = model(nuevo, cache)
            nuevo = logits[:, -1:].argmax(-1)
            texto = torch.cat((texto, nuevo), dim=1)
    return texto
