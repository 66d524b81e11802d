# Statements that share a line are separate steps, also in blocks, functions and generators, and if one raises.
import torch

x = torch.ones(2); y = x * 2; x.add_(1); del y
w = torch.ones(2, requires_grad=True); b = torch.zeros(2, requires_grad=True); größe = "∇"; (w * b).sum().backward()
with torch.no_grad(): w -= w.grad; b -= b.grad
for i in range(3): x = x + i; n = x.sum()
while i: i -= 1; z = x * i
def f(t): u = t * 2; return u
v = f(
    x); s = f(
    v); last = s + 1
def given(): got = yield x; kept = got * 2; yield kept
it = given(); first = next(it); second = it.send(w.detach())
class Held: one = torch.zeros(1); two = one + 1
two = Held.two; both = [x, two]; both.append(v)
try: x.add_(1); 1 / 0; x.zero_()
except ZeroDivisionError: x.mul_(2); caught = x * 1
if caught is None: never = 1
else: ever = x.view(2); ever.add_(1)
lambda_made = (lambda t: t + 1)(x); rows = [row for row in x]; rows[0].zero_()
x.sub_(1); x.view(7); x.sub_(1)

#: run.raised("RuntimeError", "x.sub_(1)", "shape '[7]' is invalid")
#: [step.span.column for step in run.steps("with torch")] == [0, 22, 35, 0]
#: [step.span.column for step in run.steps("for i in")] == [0, 19, 30] * 3 + [0]
#: [step.span.column for step in run.steps("x.sub_(1)")] == [0, 11]
#: [run.statement_of(write.step).span.column for write in run.writes("x.sub_(1)")] == [0]
#: [len(run.steps(text)) for text in ("try:", "def given", "class Held", "def f")] == [2, 4, 4, 5]
