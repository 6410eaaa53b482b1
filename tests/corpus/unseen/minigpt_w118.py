from typing import List, Optional

import torch
import torch.nn as nn
import torch.nn.functional as F

PADDING = 0


class MiniGPTConfig:
    model_type = "mini_gpt"

    def __init__(
        self,
        vocab_size: int,
        max_position_embeddings: int,
        hidden_size: int,
        num_attention_heads: int,
        num_hidden_layers: int,
        hidden_dropout_prob: float = 0.0,
        layer_norm_eps: float = 1e-5,
        initializer_range: float = 0.02,
    ):
        self.vocab_size = vocab_size
        self.max_position_embeddings = max_position_embeddings
        self.hidden_size = hidden_size
        self.num_attention_heads = num_attention_heads
        self.num_hidden_layers = num_hidden_layers
        self.intermediate_size = 4 * hidden_size
        self.hidden_dropout_prob = hidden_dropout_prob
        self.layer_norm_eps = layer_norm_eps
        self.initializer_range = initializer_range


class MiniGPTAttention(nn.Module):
    def __init__(self, config: MiniGPTConfig):
        super().__init__()
        self.num_heads = config.num_attention_heads
        self.head_dim = config.hidden_size // config.num_attention_heads
        self.q_proj = nn.Linear(config.hidden_size, config.hidden_size)
        self.k_proj = nn.Linear(config.hidden_size, config.hidden_size)
        self.v_proj = nn.Linear(config.hidden_size, config.hidden_size)
        self.out_proj = nn.Linear(config.hidden_size, config.hidden_size)

    def _shape(self, tensor: torch.Tensor, seq_len: int, bsz: int) -> torch.Tensor:
        return tensor.view(bsz, seq_len, self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, hidden_states: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        bsz, seq_len, embed_dim = hidden_states.size()
        query_states = self._shape(self.q_proj(hidden_states), seq_len, bsz)
        key_states = self._shape(self.k_proj(hidden_states), seq_len, bsz)
        value_states = self._shape(self.v_proj(hidden_states), seq_len, bsz)
        attn_weights = torch.matmul(query_states, key_states.transpose(2, 3)) * self.head_dim**-0.5
        attn_weights = attn_weights + attention_mask
        attn_weights = nn.functional.softmax(attn_weights, dim=-1)
        attn_output = torch.matmul(attn_weights, value_states)
        attn_output = attn_output.transpose(1, 2).reshape(bsz, seq_len, embed_dim)
        return self.out_proj(attn_output)


class MiniGPTLayer(nn.Module):
    def __init__(self, config: MiniGPTConfig):
        super().__init__()
        self.input_layernorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.self_attn = MiniGPTAttention(config)
        self.post_attention_layernorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.fc1 = nn.Linear(config.hidden_size, config.intermediate_size)
        self.fc2 = nn.Linear(config.intermediate_size, config.hidden_size)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, hidden_states, attention_mask):
        residual = hidden_states
        hidden_states = self.input_layernorm(hidden_states)
        hidden_states = self.self_attn(hidden_states, attention_mask)
        hidden_states = residual + self.dropout(hidden_states)

        residual = hidden_states
        hidden_states = self.post_attention_layernorm(hidden_states)
        hidden_states = self.fc2(F.gelu(self.fc1(hidden_states)))
        hidden_states = residual + self.dropout(hidden_states)
        return hidden_states


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.config = MiniGPTConfig(
            vocab_size=vocab_size,
            max_position_embeddings=block_size,
            hidden_size=hidden_dim,
            num_attention_heads=num_heads,
            num_hidden_layers=num_layers,
            hidden_dropout_prob=dropout,
        )
        self.block_size = block_size
        self.embed_tokens = nn.Embedding(vocab_size, hidden_dim)
        self.embed_positions = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList([MiniGPTLayer(self.config) for _ in range(num_layers)])
        self.final_layer_norm = nn.LayerNorm(hidden_dim, eps=self.config.layer_norm_eps)
        self.post_init()

    def post_init(self):
        for table in (self.embed_tokens, self.embed_positions):
            nn.init.normal_(table.weight, std=self.config.initializer_range)

    def _prepare_decoder_attention_mask(self, seq_len: int, dtype, device) -> torch.Tensor:
        mask = torch.full((seq_len, seq_len), torch.finfo(dtype).min, dtype=dtype, device=device)
        return torch.triu(mask, diagonal=1)[None, None, :, :]

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        seq_len = input_ids.shape[1]
        position_ids = torch.arange(seq_len, device=input_ids.device).unsqueeze(0)
        hidden_states = self.embed_tokens(input_ids) + self.embed_positions(position_ids)
        attention_mask = self._prepare_decoder_attention_mask(
            seq_len, hidden_states.dtype, hidden_states.device
        )
        for layer in self.layers:
            hidden_states = layer(hidden_states, attention_mask)
        hidden_states = self.final_layer_norm(hidden_states)
        return F.linear(hidden_states, self.embed_tokens.weight)


def next_token_loss(logits: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
    shift_logits = logits[..., :-1, :].contiguous()
    shift_labels = tokens[..., 1:].contiguous().long()
    loss_fct = nn.CrossEntropyLoss(ignore_index=PADDING)
    return loss_fct(shift_logits.view(-1, shift_logits.size(-1)), shift_labels.view(-1))


def train(model: nn.Module, tokens: torch.Tensor, steps: int, learning_rate: float) -> List[float]:
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    lr_scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lr_lambda=lambda current_step: max(0.0, 1.0 - current_step / max(1, steps))
    )
    max_grad_norm: Optional[float] = 1.0
    history: List[float] = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_grad_norm)
        loss.backward()
        optimizer.step()
        lr_scheduler.step()
        history.append(loss.detach().item())
    return history


def next_token_probabilities(logits: torch.Tensor, temperature: float) -> torch.Tensor:
    next_token_logits = logits[:, -1, :] / temperature
    return nn.functional.softmax(next_token_logits, dim=-1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    generated = tokens
    for _ in range(count):
        outputs = model(generated[:, -model.block_size :])
        do_sample = temperature > 0
        if do_sample:
            probs = next_token_probabilities(outputs, temperature)
            next_tokens = torch.multinomial(probs, num_samples=1)
        else:
            next_tokens = torch.argmax(outputs[:, -1, :], dim=-1)[:, None]
        generated = torch.cat([generated, next_tokens], dim=-1)
    return generated
