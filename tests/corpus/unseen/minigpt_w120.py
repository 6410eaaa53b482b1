import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

PADDING = 0


class Mean:
    """Like tf.keras.metrics.Mean."""

    def __init__(self):
        self.reset_state()

    def reset_state(self):
        self.total = 0.0
        self.count = 0

    def update_state(self, value):
        self.total += float(value)
        self.count += 1

    def result(self):
        return self.total / self.count

    def __call__(self, value):
        self.update_state(value)
        return self.result()


class SelfAttentionLayer(nn.Module):
    def __init__(self, units, num_heads, rate):
        super().__init__()
        self.units, self.num_heads = units, num_heads
        self.depth = units // num_heads
        self.wq = nn.Linear(units, units)
        self.wk = nn.Linear(units, units)
        self.wv = nn.Linear(units, units)
        self.dense = nn.Linear(units, units)
        self.dropout = nn.Dropout(rate)

    def split_heads(self, x, batch_size):
        x = torch.reshape(x, (batch_size, -1, self.num_heads, self.depth))
        return torch.permute(x, (0, 2, 1, 3))

    def forward(self, inputs, look_ahead_mask):
        batch_size = inputs.shape[0]
        q = self.split_heads(self.wq(inputs), batch_size)
        k = self.split_heads(self.wk(inputs), batch_size)
        v = self.split_heads(self.wv(inputs), batch_size)
        matmul_qk = torch.matmul(q, k.transpose(-1, -2))
        dk = float(self.depth)
        logits = matmul_qk / np.sqrt(dk).item()
        logits = torch.where(look_ahead_mask, torch.finfo(logits.dtype).min, logits)
        weights = self.dropout(torch.softmax(logits, dim=-1))
        outputs = torch.permute(torch.matmul(weights, v), (0, 2, 1, 3))
        return self.dense(torch.reshape(outputs, (batch_size, -1, self.units)))


class DecoderLayer(nn.Module):
    def __init__(self, units, num_heads, rate):
        super().__init__()
        self.layernorm1 = nn.LayerNorm(units, eps=1e-5)
        self.mha = SelfAttentionLayer(units, num_heads, rate)
        self.layernorm2 = nn.LayerNorm(units, eps=1e-5)
        self.ffn = nn.Sequential(
            nn.Linear(units, 4 * units),
            nn.GELU(approximate="none"),
            nn.Linear(4 * units, units),
            nn.Dropout(rate),
        )

    def forward(self, x, mask):
        out1 = x + self.mha(self.layernorm1(x), mask)
        out2 = out1 + self.ffn(self.layernorm2(out1))
        return out2


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.token_emb = nn.Embedding(vocab_size, hidden_dim)
        self.pos_emb = nn.Embedding(block_size, hidden_dim)
        nn.init.normal_(self.token_emb.weight, 0.0, 0.02)
        nn.init.normal_(self.pos_emb.weight, 0.0, 0.02)
        self.decoder_layers = nn.ModuleList(
            [DecoderLayer(hidden_dim, num_heads, dropout) for _ in range(num_layers)]
        )
        self.layernorm = nn.LayerNorm(hidden_dim, eps=1e-5)

    @staticmethod
    def create_look_ahead_mask(size, device):
        ones = torch.ones((size, size), device=device)
        return (ones - torch.tril(ones)).bool()

    def forward(self, tokens):
        seq_len = tokens.shape[1]
        mask = self.create_look_ahead_mask(seq_len, tokens.device)
        x = self.token_emb(tokens)
        x = x + self.pos_emb(torch.arange(seq_len, device=tokens.device))
        for layer in self.decoder_layers:
            x = layer(x, mask)
        x = self.layernorm(x)
        return torch.matmul(x, self.token_emb.weight.T)


def loss_function(real, pred):
    mask = torch.not_equal(real, PADDING)
    loss_ = F.cross_entropy(torch.permute(pred, (0, 2, 1)), real, reduction="none")
    mask = mask.to(loss_.dtype)
    return torch.sum(loss_ * mask) / torch.sum(mask)


def next_token_loss(logits, tokens):
    real = tokens[:, 1:].long()
    pred = logits[:, :-1]
    return loss_function(real, pred)


class PolynomialDecay:
    def __init__(self, initial, decay_steps):
        self.initial, self.decay_steps = initial, decay_steps

    def __call__(self, step):
        return self.initial * (1 - step / self.decay_steps)


def train(model, tokens, steps, learning_rate):
    model.train()
    schedule = PolynomialDecay(learning_rate, steps)
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    history = {"loss": []}
    # one epoch is one batch here
    train_loss = Mean()
    for epoch in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = schedule(epoch)

        predictions = model(tokens)
        loss = next_token_loss(predictions, tokens)

        # the tape
        optimizer.zero_grad()
        loss.backward()
        gradients = [p.grad for p in model.parameters() if p.grad is not None]
        norm = torch.sqrt(sum(torch.sum(g**2) for g in gradients))
        if norm > 1.0:
            for g in gradients:
                g.div_(norm)
        optimizer.step()

        train_loss.update_state(loss.item())
        history["loss"].append(train_loss.result())
    return history["loss"]


def next_token_probabilities(logits, temperature):
    predictions = logits[:, -1, :]
    return torch.softmax(predictions / temperature, dim=-1)


def generate(model, tokens, count, temperature=0.0):
    model.eval()
    output = tokens
    with torch.no_grad():
        for _ in range(count):
            predictions = model(output[:, -model.block_size :])
            if temperature == 0.0:
                predicted_id = torch.argmax(predictions[:, -1:, :], dim=-1)
            else:
                p = next_token_probabilities(predictions, temperature)
                predicted_id = torch.multinomial(p, 1)
            output = torch.concat([output, predicted_id], dim=-1)
    return output
