# GPT mínimo: modelo, pérdida, entrenamiento y generación.
import torch
import torch.nn as nn
import torch.nn.functional as F

PADDING = 0


class Atencion(nn.Module):
    def __init__(self, ancho, cabezas):
        super().__init__()
        assert ancho % cabezas == 0
        self.cabezas, self.dim = cabezas, ancho // cabezas
        self.consulta = nn.Linear(ancho, ancho, bias=False)
        self.clave = nn.Linear(ancho, ancho, bias=False)
        self.valor = nn.Linear(ancho, ancho, bias=False)
        self.salida = nn.Linear(ancho, ancho)

    def forward(self, x):
        lote, largo, ancho = x.shape
        q, k, v = (
            capa(x).view(lote, largo, self.cabezas, self.dim).transpose(1, 2)
            for capa in (self.consulta, self.clave, self.valor)
        )
        puntajes = q @ k.transpose(-1, -2) / self.dim**0.5
        pasado = torch.ones(largo, largo, dtype=torch.bool, device=x.device).tril()
        pesos = F.softmax(puntajes.masked_fill(~pasado, float("-inf")), dim=-1)
        return self.salida((pesos @ v).transpose(1, 2).reshape(lote, largo, ancho))


class Bloque(nn.Module):
    def __init__(self, ancho, cabezas, dropout):
        super().__init__()
        self.norma_1, self.norma_2 = nn.LayerNorm(ancho), nn.LayerNorm(ancho)
        self.atencion = Atencion(ancho, cabezas)
        self.subir, self.bajar = nn.Linear(ancho, 4 * ancho), nn.Linear(4 * ancho, ancho)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        x = x + self.dropout(self.atencion(self.norma_1(x)))
        return x + self.dropout(self.bajar(F.gelu(self.subir(self.norma_2(x)))))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.fichas = nn.Embedding(vocab_size, hidden_dim)
        self.posiciones = nn.Parameter(torch.randn(block_size, hidden_dim) * 0.02)
        self.bloques = nn.ModuleList([Bloque(hidden_dim, num_heads, dropout) for _ in range(num_layers)])
        self.norma = nn.LayerNorm(hidden_dim)
        nn.init.normal_(self.fichas.weight, std=0.02)

    def forward(self, tokens):
        x = self.fichas(tokens) + self.posiciones[: tokens.shape[1]]
        for bloque in self.bloques:
            x = bloque(x)
        return F.linear(self.norma(x), self.fichas.weight)  # misma tabla que a la entrada


def next_token_loss(logits, tokens):
    # la posición t adivina t + 1; el relleno no cuenta
    return F.cross_entropy(
        logits[:, :-1].transpose(1, 2), tokens[:, 1:], ignore_index=PADDING, reduction="mean"
    )


def train(model, tokens, steps, learning_rate):
    model.train()
    optimizador = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    plan = torch.optim.lr_scheduler.PolynomialLR(optimizador, total_iters=steps, power=1.0)
    perdidas = []
    for _ in range(steps):
        optimizador.zero_grad()
        perdida = next_token_loss(model(tokens), tokens)
        perdida.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizador.step()
        plan.step()
        perdidas.append(perdida.item())
    return perdidas


def next_token_probabilities(logits, temperature):
    return F.softmax(logits[:, -1, :] / temperature, dim=-1)


def generate(model, tokens, count, temperature=0.0):
    model.eval()
    texto = tokens
    with torch.no_grad():
        for _ in range(count):
            ventana = texto[:, : model.block_size]
            logits = model(ventana)
            if temperature > 0:
                probabilidades = next_token_probabilities(logits, temperature)
                siguiente = torch.multinomial(probabilidades, num_samples=1)
            else:
                siguiente = torch.argmax(logits[:, -1, :], dim=-1, keepdim=True)
            texto = torch.cat([texto, siguiente], dim=1)
    return texto
