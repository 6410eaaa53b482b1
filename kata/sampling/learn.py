"""The steps of the lesson on sampling, each after its `# %%`; the last part makes the picture."""

# %% five tokens, and what a temperature makes of them
import torch

torch.set_printoptions(precision=3, sci_mode=False)
probs = torch.tensor([0.15, 0.5, 0.05, 0.2, 0.1])
logits = probs.log()
print((logits / 2).softmax(0))
print((logits / 0.5).softmax(0))

# %% top-k: not below the k-th largest
print(logits >= logits.topk(2).values[-1])

# %% top-p: the sum before a token decides, in order of size
ranked, order = probs.sort(descending=True)
before = ranked.cumsum(0) - ranked
print(order, before)
kept = before < 0.6
print(torch.zeros(5, dtype=torch.bool).scatter(0, order, kept))

# %% min-p: a share of the largest
print(probs >= 0.25 * probs.max())

# %% what is left adds up to 1 again
nucleus = logits.masked_fill(probs < 0.2, float("-inf"))
print(nucleus.softmax(0))

# %% a penalty makes less likely, whatever the sign
seen = torch.tensor([3.0, -3.0])
print(torch.where(seen > 0, seen / 1.5, seen * 1.5))

# %% a number from 0 to 1 picks a token
reached = probs.cumsum(0)
print(reached)
print((reached <= 0.6).sum())

# %% picture
width = torch.arange(20) / 20
starts, ends = (reached - probs)[:, None], reached[:, None]
picture = ((width >= starts - 1e-6) & (width < ends - 1e-6)).float()
rows = [f"token {i}" for i in range(5)]
columns = [f"{u:.2f}" for u in width.tolist()]
