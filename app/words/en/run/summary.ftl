### The summary of a run, in one line above the story: how the run ended (`summary-<kind>`), then the most important findings.
### Each part is a button that goes to a step. Line 0 means: not known. Step 0 means: there are no steps.

summary = This run: { $parts }
summary-place = { $step ->
        [0] {""}
       *[other] {" "}at step { NUMBER($step, useGrouping: 0) }
    }{ $line ->
        [0] {""}
       *[other] { $step ->
            [0] {" "}on line { NUMBER($line, useGrouping: 0) }
           *[other] , line { NUMBER($line, useGrouping: 0) }
        }
    }

# `found`: whether there are other findings.
summary-finished =
    { $found ->
        [none] Finished, and nothing to warn about
        [unknown] Finished; not everything could be checked
       *[some] Finished
    }
summary-raised = { $type }{ summary-place }: { $message }
summary-raised-why = { $type }{ summary-place }: { $why }
summary-exited = Exited with code { $code }{ summary-place }
summary-stopped = Stopped{ summary-place }: { $limit ->
        [statements] the limit of statements
       *[steps] the limit of steps
    }
summary-timed_out = Stopped{ summary-place }: { $clock ->
        [cpu] the limit of processor time
       *[wall] the time limit
    }
summary-out_of_memory = Out of memory{ summary-place }
summary-output_too_large = Stopped{ summary-place }: it printed too much
summary-trace_too_large = Stopped{ summary-place }: the recording is too large
summary-cancelled = Stopped on request{ summary-place }
summary-worker_stopped = The worker stopped{ summary-place }
summary-crashed = Crashed with { $name }{ summary-place }
summary-interfered = Recorded only up to step { NUMBER($step, useGrouping: 0) }: the snippet interfered with the recording

summary-silent =
    { $effect ->
        [counted] { $count ->
            [one] 1 gradient is silently wrong
           *[other] { NUMBER($count, useGrouping: 0) } gradients are silently wrong
        }
        [wrong] Gradients are silently wrong
        [same] A write changed no gradient
       *[unknown] Gradients may be silently wrong
    }: step { NUMBER($step, useGrouping: 0) }
summary-warnings = { $title }{ $more ->
        [0] {""}
       *[other] , and { NUMBER($more, useGrouping: 0) } more
    }: step { NUMBER($step, useGrouping: 0) }
summary-substituted =
    { $what ->
        [compile] `torch.compile` runs eagerly
        [workers] DataLoader without worker processes
       *[process_group] Process group of one rank
    }{ $more ->
        [0] { "" }
       *[other] , and { $more } more
    }: step { NUMBER($step, useGrouping: 0) }
summary-hints =
    { $count ->
        [one] 1 hint
       *[other] { NUMBER($count, useGrouping: 0) } hints
    }: step { NUMBER($step, useGrouping: 0) }

summary-vanished = Gradients vanish first at { $name }: step { NUMBER($step, useGrouping: 0) }
summary-nan = `{ $operator }` returned the first `nan`: step { NUMBER($step, useGrouping: 0) }
from-start = From line 1

## In a picture that shows nothing yet.

not-yet =
    { $picture ->
        [graph] No Node is recorded yet.
       *[memory] No tensor has a name yet.
    }
begins = The first one: step { NUMBER($step, useGrouping: 0) }

## Why a run recorded no Node, and what would record one. `name`: a tensor that requires grad; "none": one without a name.

graph-empty =
    { $why ->
        [no-tensor] No operation recorded a Node: this run has no tensor.
        [none-requires] No operation recorded a Node: no tensor requires grad. Create one with `requires_grad=True`, and autograd records what is computed from it.
       *[not-used] No operation recorded a Node: with grad mode on, nothing differentiable was computed from { $name ->
            [none] the tensors that require grad
           *[other] `{ $name }`, which requires grad
        }.
    }

## The most important keys, shown once in each browser, at its first run

hint-step = step
hint-line = line
hint-warning = warning
hint-help = all keys
hint-touch = Swipe left or right to step

## Short labels in the memory picture, for a folded module and for a reused row

storages-role =
    { $role ->
        [parameter]
            { $count ->
                [one] 1 parameter
               *[other] { $count } parameters
            }
        [buffer]
            { $count ->
                [one] 1 buffer
               *[other] { $count } buffers
            }
        [gradient]
            { $count ->
                [one] 1 gradient
               *[other] { $count } gradients
            }
        [state]
            { $count ->
                [one] 1 optimizer state
               *[other] { $count } optimizer states
            }
       *[other]
            { $count ->
                [one] 1 other tensor
               *[other] { $count } other tensors
            }
    }
row-taken =
    { $memory ->
        [new] new, in the row of { $other }
       *[old] in the row of { $other }
    }
row-taken-briefly =
    { $memory ->
        [new] new, row of { $other }
       *[old] row of { $other }
    }
