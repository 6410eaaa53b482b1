"""The steps of the lesson on gated-linear, each after its `# %%`; the last makes the picture."""

# %% a state that fades, then is written
import torch

torch.set_printoptions(precision=3, sci_mode=False)
kept = torch.tensor([0.5, 0.5])
written = torch.tensor([2.0, 4.0])
start = state = torch.tensor(8.0)
for t in range(2):
    state = kept[t] * state + written[t]
    print(state)

# %% both positions at once
since_start = kept.log().cumsum(0)
left = since_start.exp()
to_end = (since_start[-1] - since_start).exp()
print(left, to_end)
print(left[-1] * start + to_end @ written)

# %% what each position reads
since_key = since_start[:, None] - since_start
ahead = torch.ones(2, 2).triu(1) == 1
decays = since_key.masked_fill(ahead, float("-inf")).exp()
print(decays)
print(left * start + decays @ written)

# %% hidden before exp, not after it
steep = torch.tensor([-100.0, -200.0])
differences = steep[:, None] - steep
print(differences.exp() * ~ahead)
print(differences.masked_fill(ahead, float("-inf")).exp())

# %% what a gate keeps, in one step and in 16
gate = torch.tensor([-4.0, 0.0, 4.0])
print(gate.sigmoid() ** (1 / 16), gate.sigmoid())

# %% picture
sums = torch.tensor([0.9, 0.9, 0.9, 0.2, 0.9, 0.9]).log().cumsum(0)
hidden = torch.ones(6, 6).triu(1) == 1
picture = (sums[:, None] - sums).masked_fill(hidden, float("-inf")).exp()
rows = [f"query {i}" for i in range(6)]
columns = [f"key {i}" for i in range(6)]
