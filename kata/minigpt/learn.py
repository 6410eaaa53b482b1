"""The steps of the lesson on minigpt, each after its `# %%`; the last part makes the picture."""

# %% shift by one
import math

import torch
import torch.nn.functional as F

torch.set_printoptions(precision=2, sci_mode=False)
tokens = torch.tensor([2, 1, 3, 1])
print(tokens[:-1].tolist(), "->", tokens[1:].tolist())

# %% the first loss
vocabulary = 4
even = torch.zeros(3, vocabulary)
loss = F.cross_entropy(even, tokens[1:])
print(round(loss.item(), 3), round(math.log(vocabulary), 3))

# %% a table that learns by heart
torch.manual_seed(0)
table = torch.zeros(vocabulary, vocabulary, requires_grad=True)
optimizer = torch.optim.AdamW([table], lr=0.3)
for step in range(40):
    optimizer.zero_grad()
    loss = F.cross_entropy(table[tokens[:-1]], tokens[1:])
    loss.backward()
    optimizer.step()
    if step % 13 == 0:
        print(step, round(loss.item(), 2))

# %% what it has learned
probabilities = table.detach().softmax(dim=-1)
print(probabilities)

# %% text, one token at a time
text = [2]
for _ in range(5):
    text.append(probabilities[text[-1]].argmax().item())
print(text)

# %% temperature
logits = torch.tensor([0.0, 1.0, 2.0])
for temperature in (0.5, 1.0, 2.0):
    print(temperature, (logits / temperature).softmax(dim=-1))

# %% picture
picture = probabilities
rows = [f"after {i}" for i in range(4)]
columns = [f"token {i}" for i in range(4)]
