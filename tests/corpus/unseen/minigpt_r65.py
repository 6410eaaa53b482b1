# Kleines GPT in einer Datei: Modell, Verlust, Training und Erzeugung von Text.
import math
from contextlib import contextmanager

import torch
from torch import nn
from torch.optim.lr_scheduler import LinearLR

PADDING = 0


class Block(nn.Module):
    def __init__(self, breite, koepfe, dropout):
        super().__init__()
        assert breite % koepfe == 0, "Breite muss durch die Anzahl der Köpfe teilbar sein"
        self.koepfe = koepfe
        self.norm_1, self.norm_2 = nn.LayerNorm(breite), nn.LayerNorm(breite)
        self.qkv = nn.Linear(breite, 3 * breite)
        self.aus = nn.Linear(breite, breite)
        self.mlp = nn.Sequential(nn.Linear(breite, 4 * breite), nn.GELU(), nn.Linear(4 * breite, breite))
        self.dropout = nn.Dropout(dropout)

    def aufmerksamkeit(self, x):
        B, T, C = x.shape
        q, k, v = (
            t.view(B, T, self.koepfe, C // self.koepfe).transpose(1, 2) for t in self.qkv(x).chunk(3, -1)
        )
        punkte = q @ k.transpose(-2, -1) / math.sqrt(C // self.koepfe)
        zukunft = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        gewichte = punkte.masked_fill(zukunft, float("-inf")).softmax(-1)
        return self.aus((gewichte @ v).transpose(1, 2).reshape(B, T, C))

    def forward(self, x):
        x = x + self.dropout(self.aufmerksamkeit(self.norm_1(x)))
        return x + self.dropout(self.mlp(self.norm_2(x)))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        # eine Tabelle für alles: erst die Token, dahinter die Positionen
        self.tabelle = nn.Parameter(0.02 * torch.randn(vocab_size + block_size, hidden_dim))
        self.grenze = vocab_size
        self.bloecke = nn.Sequential(*[Block(hidden_dim, num_heads, dropout) for _ in range(num_layers)])
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens):
        token_tabelle, positionen = self.tabelle[: self.grenze], self.tabelle[self.grenze :]
        x = token_tabelle[tokens] + positionen[: tokens.size(1)]
        # der Kopf ist noch einmal die Tokentabelle
        return self.norm(self.bloecke(x)) @ token_tabelle.t()


def next_token_loss(logits, tokens):
    vorhersage, ziel = logits[:, :-1], tokens[:, 1:]
    gueltig = ziel != PADDING
    log_p = vorhersage.log_softmax(-1).gather(-1, ziel.unsqueeze(-1)).squeeze(-1)
    return -log_p[gueltig].sum() / gueltig.sum()


def train(model, tokens, steps, learning_rate):
    model.train()
    optimierer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    plan = LinearLR(optimierer, start_factor=1.0, end_factor=0.0, total_iters=steps)
    verluste = []
    for _ in range(steps):
        verlust = next_token_loss(model(tokens), tokens)
        optimierer.zero_grad()
        verlust.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimierer.step()
        plan.step()
        verluste.append(verlust.item())
    return verluste


def next_token_probabilities(logits, temperature):
    return torch.softmax(logits[:, -1] / temperature, dim=-1)


@contextmanager
def auswertung(model):
    """Eval-Modus und keine Gradienten; danach ist das Modell wieder im alten Modus."""
    vorher = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        model.train(vorher)


def generate(model, tokens, count, temperature=0.0):
    with auswertung(model):
        for _ in range(count):
            logits = model(tokens[:, -model.block_size :])
            if temperature == 0:
                neu = logits[:, -1].argmax(-1, keepdim=True)
            else:
                neu = torch.multinomial(next_token_probabilities(logits, temperature), 1)
            tokens = torch.cat((tokens, neu), dim=1)
    return tokens
