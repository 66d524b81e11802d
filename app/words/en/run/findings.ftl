### Messages of findings: `finding-<kind>-title`, `finding-<kind>`, `fix-<title>`. Backticks mark code.
### Line 0 and version -1 mean: not known.

# The last sentence of a finding about an exception.
error-caught =
    { $caught ->
        [yes] {" "}The program caught this error.
       *[no] {""}
    }

# A sentence of a finding: how a tensor was cut off the graph. Empty if it was not cut off.
error-cut_off =
    { $how ->
        [gradient] {" "}`autograd.grad` on line { NUMBER($cut_line, useGrouping: 0) } has no `create_graph=True`, so its result has no graph.
        [checkpoint] {" "}No input of the reentrant `checkpoint` on line { NUMBER($cut_line, useGrouping: 0) } requires grad, so it records nothing, not even for Parameters. Use `use_reentrant=False`.
        [detach] {" "}Line { NUMBER($cut_line, useGrouping: 0) } cuts it off with `.detach()`.
        [data] {" "}Line { NUMBER($cut_line, useGrouping: 0) } cuts it off with `.data`.
        [item] {" "}Line { NUMBER($cut_line, useGrouping: 0) } converts it to plain Python numbers, which autograd does not track.
        [numpy] {" "}Line { NUMBER($cut_line, useGrouping: 0) } converts it to a NumPy array, which autograd does not track.
        [rewrapped] {" "}Line { NUMBER($cut_line, useGrouping: 0) } creates a new tensor from its values; it is not connected to the graph.
        [comparison] {" "}Line { NUMBER($cut_line, useGrouping: 0) } computes booleans from it, which are not differentiable.
        [integer] {" "}Line { NUMBER($cut_line, useGrouping: 0) } computes integers from it, which are not differentiable.
        [no_grad] {" "}Line { NUMBER($cut_line, useGrouping: 0) } uses it while grad mode is off, so autograd records nothing.
        [inference] {" "}Line { NUMBER($cut_line, useGrouping: 0) } uses it in inference mode, so autograd records nothing.
        [other] {" "}Line { NUMBER($cut_line, useGrouping: 0) } uses it, but the result does not require grad.
       *[none] {""}
    }

# Shown with the findings. `count`: the number of checks that did not finish.
explained-in-part =
    Not everything was checked: the run is so large that { $count ->
        [one] one check
       *[other] { NUMBER($count, useGrouping: 0) } checks
    } did not finish. The findings shown are correct, but others may be missing. A shorter run is checked completely.

# The last sentences of a finding about a file or a package that a run in the sandbox lacks.
error-record_yourself = Install Stepgrad on that machine (`pip install .` in a checkout of Stepgrad), add `import stepgrad`, and put the code, indented, below the line `with stepgrad.record() as recording:`. After the block, `recording.show()` opens the recording in a browser.

## Saved tensors

finding-stale_saved_tensor-title = A tensor that backward needs was modified in place
finding-stale_saved_tensor =
    `{ $node }`{ $saver_line ->
        [0] {""}
       *[other] {" "}on line { NUMBER($saver_line, useGrouping: 0) }
    } saved { $relation ->
        [itself] `{ $name }`
        [view] { $by ->
            [step] `{ $name }`
           *[write] a view of `{ $name }`
        }
       *[unnamed] a tensor (`{ $slot }`)
    }{ $saved_version ->
        [-1] {""}
       *[other] {" "}(version { NUMBER($saved_version, useGrouping: 0) })
    }. { $by ->
        [step] `{ $call }` on line { NUMBER($writer_line, useGrouping: 0) }
       *[write] { $writer_line ->
            [0] A later operation
           *[other] Line { NUMBER($writer_line, useGrouping: 0) }
        }
    } then { $bytes ->
        [same] wrote to another part of the same memory
        [idle] wrote the same values to it again
        [changed] modified it in place
       *[unknown] changed its version counter
    }{ $way ->
        [alias] {" "}through `{ $through }`
       *[direct] {""}
    }{ $written_version ->
        [-1] {""}
       *[other] {" "}(version { NUMBER($written_version, useGrouping: 0) })
    }. { $bytes ->
        [same] The saved values did not change, but a tensor and its views share one version counter, and that is all autograd checks.
        [idle] The saved values did not change, but autograd checks only the version counter.
        [changed] {""}
       *[unknown] Autograd checks only the version counter: when it has changed, the saved values are not used.
    }{ $bytes ->
        [changed] { $needer_line ->
            [0] If backward reaches `{ $node }`, it will need the old values and raise an error.
           *[other] The backward on line { NUMBER($needer_line, useGrouping: 0) } needs the old values, so it raises an error.
        }
       *[other] { $needer_line ->
            [0] {" "}If backward reaches `{ $node }`, it will raise an error.
           *[other] {" "}So the backward on line { NUMBER($needer_line, useGrouping: 0) } raises an error.
        }
    }{ error-caught }

finding-silently_wrong_gradient-title = { $effect ->
        [wrong] Wrong gradients without an error
       *[unknown] Gradients may be wrong without an error
    }
finding-silently_wrong_gradient =
    { $writer_line ->
        [0] A later operation
       *[other] Line { NUMBER($writer_line, useGrouping: 0) }
    } { $effect ->
        [may] may have changed
       *[other] changed
    } { $relation ->
        [itself] `{ $name }`
        [view] a view of `{ $name }`
       *[unnamed] a tensor (`{ $slot }`)
    }{ $way ->
        [alias] {" "}through `{ $through }`
       *[direct] {""}
    } after `{ $node }`{ $saver_line ->
        [0] {""}
       *[other] {" "}on line { NUMBER($saver_line, useGrouping: 0) }
    } saved it{ $saved_version ->
        [-1] {""}
       *[other] {" "}(version { NUMBER($saved_version, useGrouping: 0) })
    }, but not the version counter, which is all autograd checks. { $undecided ->
        [no_bytes] Values of this tensor are not read, so they could not be compared.
        [gone] The saved values are gone, so they could not be compared.
        [unseen] The write was noticed only afterwards, so the values could not be compared.
       *[known] { $needer_line ->
            [0] If backward reaches `{ $node }`, it will use the new values.
           *[other] So the backward on line { NUMBER($needer_line, useGrouping: 0) } used the new values{ $effect ->
                [wrong] {""}
               *[unknown] , and its gradients may be wrong
            }.
        }
    }

# The correct gradient, shown next to that finding. `right-unknown-<reason>`: why the correct gradient is unknown.
right-label = Gradients of the backward{ $line ->
        [0] {""}
       *[other] {" "}on line { NUMBER($line, useGrouping: 0) }
    } if the saved values are kept, from a second run with the same seed. The in-place write itself is not differentiated:
right-source = The last column comes from a second run with the same seed, in which the backward{ $line ->
        [0] {""}
       *[other] {" "}on line { NUMBER($line, useGrouping: 0) }
    } reads the saved values. The in-place write itself is not differentiated.
right-row = { $name }: backward gave { $wrong }, with the saved values { $right }
right-gradient = gradient
right-gave = backward gave
right-would = with the saved values
right-unchanged = the same
right-of = gradient of { $name }
right-summary = { $min } to { $max }, mean { $mean }
right-more = { $count ->
        [one] … and one more gradient
       *[other] … and { $count } more gradients
    }
right-later = The correct gradient is shown for the backward on line { NUMBER($line, useGrouping: 0) }, the first backward with wrong gradients. This backward started from different values.
right-after = Everything after this backward was computed from different values, so later gradients are not compared.
right-same = A second run that keeps the saved values, with the same seed, gives the same gradients: this write did not change them.
right-unknown-differs = The correct gradient is unknown: a second run that keeps the saved values took a different path before it reached a gradient. This happens when a program reads the clock, memory addresses or system randomness.
right-unknown-unsteady = The correct gradient is unknown: the snippet was run twice more, with the saved values protected from later writes, and these two runs gave different gradients.
right-unknown-ended = The correct gradient is unknown: a second run that keeps the saved values did not end like this run.
right-unknown-hooks = The correct gradient is unknown: part of what this backward needs was saved by hooks of the snippet, by a checkpoint or as a subclass of Tensor, and those values cannot be kept.
right-unknown-function = The correct gradient is unknown: the backward of a `torch.autograd.Function` uses a value that `ctx.save_for_backward` did not save, such as an attribute of `ctx`, and such values cannot be kept.
right-unknown-threads = The correct gradient is unknown: the snippet uses several threads, so two runs cannot be compared.
right-unknown-large = The correct gradient is unknown: the tensors are too large to compare element by element.
right-unknown-unseen = The correct gradient is unknown: no gradient of a leaf was recorded in this backward.
right-unknown-busy = The correct gradient is unknown: the server is busy and cannot start a second run now.

fix-clone_before_write = Write to a copy: add `.clone()`
fix-write_out_of_place = Create a new tensor instead of writing in place
fix-take_by_index = Take each view by its index: `[i]`
fix-move_write_below = Move the update below the backward
fix-clone_before_save = Let autograd save a copy: add `.clone()`
fix-clone_written = Write to a copy: add `.clone()`
fix-forward_again = Run the forward pass again before this backward
fix-write_after_backward = Move the write below the backward

## Pasted text

finding-pasted_prompts-title = This looks copied from an interactive session
finding-pasted_prompts = Line { NUMBER($line, useGrouping: 0) } starts with a prompt such as `>>>` or `In [1]:`, which is not part of the code. Lines without a prompt are printed output.
fix-strip_prompts = Remove the prompts and the output

finding-pasted_indentation-title = The code is indented
finding-pasted_indentation = From line { NUMBER($line, useGrouping: 0) } on, every line is indented, as if it were inside a block. Python expects top-level code at the left margin.
fix-strip_indentation = Remove the common indentation

finding-shell_lines-title = A notebook or shell command
finding-shell_lines =
    { $count ->
        [one] Line { NUMBER($line, useGrouping: 0) } is not Python:
       *[other] From line { NUMBER($line, useGrouping: 0) } on, { $count } lines are not Python:
    } `!`, `%` and `pip install` are commands for a notebook or a shell. Packages cannot be installed here; the standard library, torch and numpy are available.
fix-comment_shell_lines = Comment out the commands

## Imports and packages

finding-missing_import-title = An import is missing
finding-missing_import =
    The snippet uses { $names } from line { NUMBER($line, useGrouping: 0) } on but does not import { $count ->
        [one] it.
       *[other] them.
    }
fix-add_import = Add `{ $statement }`

finding-absent_package-title = This package is not available here
finding-absent_package =
    { $line ->
        [0] The snippet
       *[other] Line { NUMBER($line, useGrouping: 0) }
    } needs `{ $package }`, which is not available here. Available: the standard library, { $packages }. `stepgrad.record()` records the program on your own machine, where `{ $package }` is available. { error-record_yourself }
fix-without_package = Continue without the package `{ $package }`

## Surroundings

finding-absent_file-title = The file does not exist here
finding-absent_file =
    { $listed_line ->
        [0] `{ $name }` on line { NUMBER($line, useGrouping: 0) } reads a file or folder that does not exist.
       *[other] `{ $name }` on line { NUMBER($listed_line, useGrouping: 0) } found no files, so `{ $files }` is empty on line { NUMBER($line, useGrouping: 0) }.
    } A run has only the files that the snippet itself writes. Create the data in the snippet, for example with `torch.randn(4, 3)` or as a string. Or use `stepgrad.record()`, which records the program on your own machine, where the file is. { error-record_yourself }

finding-keyboard_input-title = `input()` is not available
finding-keyboard_input = Line { NUMBER($line, useGrouping: 0) } calls `input()`, but a run has no keyboard. Write the value into the snippet.
fix-answer_input = Replace `input()` with `"1"`


finding-download-title = No network access
finding-download = Line { NUMBER($line, useGrouping: 0) } tries to download data, but a run has no network access. A few random values, such as `torch.randn(4, 3)`, show the same autograd behavior.

finding-sealed-title = Not allowed in the sandbox
finding-sealed =
    { $line ->
        [0] The snippet
       *[other] Line { NUMBER($line, useGrouping: 0) }
    } does something that a run is not allowed to do. A run has no network access, cannot start other processes and can write files only in `/tmp`. torch, numpy and the standard library work as usual.


finding-command_line-title = No command line
finding-command_line =
    { $how ->
        [argv] Line { NUMBER($line, useGrouping: 0) } reads `{ $written }`, but a run has no command line: `sys.argv` holds only the name of the program. Write the value into the snippet.
       *[parser] Line { NUMBER($line, useGrouping: 0) } reads the command line, but a run has none, and `argparse` ends the program there. { $given ->
            [none] Pass the arguments that it requires as a list of strings, or give them a default.
           *[other] A required argument is missing. Pass the arguments to the parser as a list of strings, with values of your choice, or give them a default.
        }
    }
fix-write_argument = Write `{ $given }` instead of the command-line argument
fix-write_arguments = Pass `{ $given }` to the parser

finding-limit_met-title = The recording ends at a limit
finding-limit_met =
    { $limit ->
        [wall_seconds] A run may take { $value } seconds
        [cpu_seconds] A run may use { $value } seconds of processor time
        [memory_bytes] A run may use { $value } of memory
        [output_bytes] A run may print { $value }
        [trace_bytes] A recording may have { $value }, and as many records as can be drawn
        [steps] A recording may have { $value } steps
       *[statements] A recording may have { $value } statements
    }{ $round ->
        [0] .
       *[other] , and this one ends in round { $round }{ $total ->
            [0] {""}
           *[other] {" "}of { $total }
        } of the loop on line { NUMBER($loop_line, useGrouping: 0) }.
    }{ $fits ->
        [0] {""}
       *[other] {" "}Its first { $done ->
            [one] round fits
           *[other] { $done } rounds fit
        }. With { $fits ->
            [one] one round
           *[other] { $fits } rounds
        }{ $outer_line ->
            [0] {""}
           *[other] {" "}and one round of the loop on line { NUMBER($outer_line, useGrouping: 0) }
        }, the rest of the program fits, too.
    } { $where ->
        [process] The recording ended there, but the program continued. `{ $setting }` raises this limit.
       *[server] The setting `{ $setting }` of a Stepgrad server raises this limit{ $limit ->
            [wall_seconds] , and `stepgrad.record()` has no limit of time
            [cpu_seconds] , and `stepgrad.record()` has no limit of time
            [memory_bytes] , and `stepgrad.record()` has no limit of memory
           *[other] {""}
        }.
    }
fix-fewer_rounds = Run { $fits ->
        [one] one round
       *[other] { $fits } rounds
    } of the loop on line { NUMBER($loop_line, useGrouping: 0) }

finding-no_gpu-title = This machine has no GPU
finding-no_gpu =
    { $line ->
        [0] The snippet
       *[other] Line { NUMBER($line, useGrouping: 0) }
    }{ $asked ->
        [pinned] {" "}needs a GPU or another accelerator, and this machine has none: pinned memory is what a GPU copies from. Ask for it with `pin_memory=torch.accelerator.is_available()`.
       *[device] {" "}needs a GPU, and this machine has none. You can use the CPU instead of a GPU: each tensor shows the device it would be on, and all values are computed on the CPU.
    }
fix-stand_in = Run again with the CPU instead of a GPU

## Backward

finding-freed_graph-title = Backward a second time through a freed graph
finding-freed_graph =
    { $how ->
        [carried] Line { NUMBER($use_line, useGrouping: 0) } computes with { $named ->
            [yes] `{ $name }`
           *[no] a tensor
        }, which is still connected to a graph that { $rounds ->
            [same] an earlier backward on line { NUMBER($first_line, useGrouping: 0) }
           *[other] the backward on line { NUMBER($first_line, useGrouping: 0) }
        } freed. So { $rounds ->
            [same] a later backward on line { NUMBER($first_line, useGrouping: 0) }
           *[other] the backward on line { NUMBER($second_line, useGrouping: 0) }
        } reaches this graph again and fails at `{ $node }`, whose saved tensors were freed.
        [shared] Both backward passes go through `{ $name }` (line { NUMBER($saver_line, useGrouping: 0) }). The backward on line { NUMBER($first_line, useGrouping: 0) } freed the saved tensors of this part of the graph, so the backward on line { NUMBER($second_line, useGrouping: 0) } fails at `{ $node }`.
       *[again] { $rounds ->
            [same] An earlier backward
           *[other] The backward
        } on line { NUMBER($first_line, useGrouping: 0) } freed the saved tensors of `{ $node }`{ $saver_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($saver_line, useGrouping: 0) })
        }, so { $rounds ->
            [same] a later one on that line
           *[other] the backward on line { NUMBER($second_line, useGrouping: 0) }
        } cannot go through the same graph again.
    }{ error-caught }
fix-detach_carried = Carry only the values to the next iteration: add `.detach()`
fix-stop_there = Stop the gradient of the first loss at `{ $name }`: add `.detach()`
fix-sum_losses = Add the losses and run one backward
fix-retain_graph = Keep the graph for the second backward

finding-not_scalar-title = Backward needs a single element or a gradient
finding-not_scalar = `{ $name }` has { $count ->
        [0] no elements
       *[other] { NUMBER($count, useGrouping: 0) } elements (shape `{ $shape }`)
    }. Without a gradient argument, the backward on line { NUMBER($line, useGrouping: 0) } can start only from a single element. Reduce it with `.sum()` or `.mean()`, or pass a gradient of the same shape.{ error-caught }
fix-sum_root = Start from the sum: add `.sum()`

finding-leaf_backward-title = Backward from a leaf
finding-leaf_backward = `{ $root }` (line { NUMBER($maker_line, useGrouping: 0) }) is a leaf: it has no graph, so the backward on line { NUMBER($line, useGrouping: 0) } sets `{ $root }.grad` and no other gradient. { $how ->
        [late] Line { NUMBER($asked_line, useGrouping: 0) } sets `requires_grad` on the result; set `requires_grad` on the tensors from which the result is computed, before they are used.
       *[other] Line { NUMBER($cut_line, useGrouping: 0) } cuts the graph: { $how ->
        [item] it creates a Python number from the values
            [numpy] it creates a NumPy array from the values
            [rewrapped] it copies the values
            [detach] `.detach()` returns the values
            [data] `.data` returns the values
            [no_grad] grad mode is off where it uses the values
            [inference] it runs in inference mode and uses the values
           *[other] its result does not require grad, and it uses the values
        } { $known ->
            [yes] of `{ $name }`.
           *[no] of a tensor that requires grad.
        }
    }
fix-keep_the_graph = Use the tensor itself, which has a graph

finding-late_requires_grad-title = `requires_grad` was set after the forward pass
finding-late_requires_grad = Line { NUMBER($asked_line, useGrouping: 0) } sets `requires_grad` on `{ $name }`, but line { NUMBER($use_line, useGrouping: 0) } had used `{ $name }` before that, and autograd recorded nothing for it. So the backward on line { NUMBER($line, useGrouping: 0) } gives `{ $name }` no gradient: `{ $name }.grad` is None. Set `requires_grad` before the forward pass.

finding-number_backward-title = `backward()` on a Python number
finding-number_backward = `{ $root }` is a Python `{ $type }` and has no `backward()`: line { NUMBER($cut_line, useGrouping: 0) } converts { $known ->
        [yes] `{ $name }`
       *[no] a tensor
    } to a number. Call `backward()` on the tensor, and `.item()` only for printing.{ error-caught }
fix-without_item = Keep the tensor: remove `.item()`

finding-unused_input-title = An input that the output does not depend on
finding-unused_input =
    { $how ->
        [off] Line { NUMBER($line, useGrouping: 0) } asks for the gradient with respect to `{ $name }`, but `{ $name }` does not require grad, so autograd records nothing for it. Set `requires_grad=True` before the forward pass.
       *[other] { $inputs ->
            [one] Line { NUMBER($line, useGrouping: 0) } asks for the gradient of `{ $root }` with respect to `{ $name }`, but `{ $name }` is not in the graph of `{ $root }`.
           *[other] Line { NUMBER($line, useGrouping: 0) } asks for the gradient of `{ $root }` with respect to { $inputs } tensors that are not in the graph of `{ $root }`; the first is `{ $name }`.
        }
    }{ $how ->
        [off] {""}
        [later] {" "}`{ $name }` is another tensor, created on line { NUMBER($maker_line, useGrouping: 0) }; `{ $root }` was computed from the tensor that `{ $name }` comes from. Ask for the gradient of the tensor that the computation used.
        [apart] {" "}`{ $root }` was not computed from it. With `allow_unused=True` its gradient is None.
        [unknown] {" "}With `allow_unused=True` its gradient is None.
       *[cut] {""}
    }{ error-cut_off }{ error-caught }

finding-cut_graph-title = Backward on a tensor without a graph
finding-cut_graph =
    { $how ->
        [detach] `.detach()` on line { NUMBER($cut_line, useGrouping: 0) } returns { $known ->
            [yes] the values of `{ $name }`
           *[no] its values
        } without the graph.
        [data] `.data` on line { NUMBER($cut_line, useGrouping: 0) } returns { $known ->
            [yes] the values of `{ $name }`
           *[no] its values
        } without the graph.
        [gradient] `autograd.grad` on line { NUMBER($cut_line, useGrouping: 0) } has no `create_graph=True`, so its result has no graph.
        [checkpoint] No input of the reentrant `checkpoint` on line { NUMBER($cut_line, useGrouping: 0) } requires grad, so it records nothing, not even for Parameters (`use_reentrant=False` would).
        [item] Line { NUMBER($cut_line, useGrouping: 0) } converts { $known ->
            [yes] `{ $name }`
           *[no] a tensor
        } to plain Python numbers, which autograd does not track.
        [numpy] Line { NUMBER($cut_line, useGrouping: 0) } converts { $known ->
            [yes] `{ $name }`
           *[no] a tensor
        } to a NumPy array, which autograd does not track.
        [rewrapped] Line { NUMBER($cut_line, useGrouping: 0) } creates a new tensor from the values { $known ->
            [yes] of `{ $name }`
           *[no] of a tensor
        }; it is not connected to the graph.
        [comparison] Line { NUMBER($cut_line, useGrouping: 0) } computes booleans{ $known ->
            [yes] {" "}from `{ $name }`
           *[no] {""}
        }, which are not differentiable.
        [integer] { $operator ->
            [none] Line { NUMBER($cut_line, useGrouping: 0) } computes integers{ $known ->
                [yes] {" "}from `{ $name }`
               *[no] {""}
            }, which are not differentiable.
            [argmax] `argmax` on line { NUMBER($cut_line, useGrouping: 0) } returns integer indices, which are not differentiable.
            [argmin] `argmin` on line { NUMBER($cut_line, useGrouping: 0) } returns integer indices, which are not differentiable.
            [argsort] `argsort` on line { NUMBER($cut_line, useGrouping: 0) } returns integer indices, which are not differentiable.
           *[other] `{ $operator }` on line { NUMBER($cut_line, useGrouping: 0) } returns integers, which are not differentiable.
        }
        [no_grad] Line { NUMBER($cut_line, useGrouping: 0) } uses { $known ->
            [yes] `{ $name }`
           *[no] a tensor that requires grad
        } while grad mode is off, so autograd records nothing.
        [inference] Line { NUMBER($cut_line, useGrouping: 0) } uses { $known ->
            [yes] `{ $name }`
           *[no] a tensor that requires grad
        } in inference mode, so autograd records nothing.
        [other] Line { NUMBER($cut_line, useGrouping: 0) } uses { $known ->
            [yes] `{ $name }`
           *[no] a tensor that requires grad
        }, but its result does not require grad.
        [late] Line { NUMBER($cut_line, useGrouping: 0) } sets `requires_grad` on `{ $name }` only after `{ $root }` was computed from it (set it before the forward pass), so autograd recorded nothing for it.
        [frozen] Line { NUMBER($cut_line, useGrouping: 0) } turned off `requires_grad` of { $known ->
            [yes] `{ $name }`
           *[no] a leaf
        }{ $others ->
            [0] {""}
            [one] {" "}and of one more tensor
           *[other] {" "}and of { $others } more tensors
        }{ $lines ->
            [one] {""}
           *[other] , and other lines did so for the rest
        }. Nothing else that `{ $root }` was computed from requires grad, so autograd recorded nothing.
        [itself] Line { NUMBER($cut_line, useGrouping: 0) } turned off `requires_grad` of `{ $root }`.
        [detached] Line { NUMBER($cut_line, useGrouping: 0) } calls `detach_()`, which removes { $known ->
            [yes] `{ $name }` itself
           *[no] a tensor itself
        } from the graph; it makes no copy.
        [nothing] No tensor in this run requires grad{ $known ->
            [yes] , not even `{ $name }`, from which the rest is computed
           *[no] {""}
        }, so autograd records nothing.
       *[unknown] `{ $root }` does not require grad: either none of its inputs does, or the graph was cut before it.
    }{ $switch ->
        [with] {" "}`with { $switch_text }` on line { NUMBER($switch_line, useGrouping: 0) } turned grad mode off.
        [decorator] {" "}The decorator `@{ $switch_text }` on line { NUMBER($switch_line, useGrouping: 0) } turned grad mode off.
        [call] {" "}`{ $switch_text }` on line { NUMBER($switch_line, useGrouping: 0) } turned grad mode off, and nothing has turned it on again.
       *[none] {""}
    } { $how ->
        [unknown] It has no `grad_fn`, so the backward on line { NUMBER($line, useGrouping: 0) } fails.
       *[other] So `{ $root }` has no `grad_fn`, and the backward on line { NUMBER($line, useGrouping: 0) } fails.
    }{ error-caught }
fix-without_detach = Keep the graph: do not detach
fix-stack = Use `torch.stack`, which keeps the graph
fix-not_reentrant = Use `use_reentrant=False`
fix-with_grad = Turn grad mode on here
fix-keep_gradients_graph = Keep the graph of the gradient: add `create_graph=True`
fix-grad_off_in_block = Turn grad mode off for this function only
fix-write_in_place = Update the same leaf in place
fix-ask_for_grad = Add `requires_grad=True`

## Writes that torch refuses

finding-leaf_written-title = In-place write to a leaf that requires grad
finding-leaf_written =
    { $how ->
        [view] `{ $name }` is a view of { $known ->
            [yes] `{ $leaf }`, a leaf that requires grad.
           *[no] a leaf that requires grad.
        }
       *[itself] `{ $leaf }` is a leaf that requires grad.
    } Autograd would record this write and { $known ->
        [yes] `{ $leaf }`
       *[no] that leaf
    } would stop being a leaf, so PyTorch refuses line { NUMBER($line, useGrouping: 0) }. To update { $how ->
        [part] a part of it
       *[itself] it
    } as an optimizer does, write under `torch.no_grad()`.{ error-caught }
fix-write_without_grad = Write under `torch.no_grad()`

finding-view_of_many-title = In-place write to one of several views
finding-view_of_many =
    `{ $name }`{ $how ->
        [view] {""}
       *[itself] {" "}(line { NUMBER($maker_line, useGrouping: 0) })
    } is { $how ->
        [view] a view of one of several views
       *[itself] one of several views
    }{ $known ->
        [yes] {" "}of `{ $base }`
       *[no] {""}
    } that one operator returned; these views share one `{ $node }`. PyTorch does not allow in-place writes to them, so it refuses line { NUMBER($line, useGrouping: 0) }. A view taken by index can be written.{ error-caught }

finding-no_grad_view-title = A view created with grad mode off is written with it on
finding-no_grad_view =
    Line { NUMBER($maker_line, useGrouping: 0) } created `{ $name }`, a view{ $known ->
        [yes] {" "}of `{ $base }`
       *[no] {""}
    }, while grad mode was off. Line { NUMBER($line, useGrouping: 0) } writes it while grad mode is on, so it is not clear whether autograd should record the write, and PyTorch refuses. Create and write the view in the same mode.{ error-caught }

finding-inference_tensor-title = An inference tensor outside inference mode
finding-inference_tensor =
    `{ $name }` was created in inference mode (line { NUMBER($maker_line, useGrouping: 0) }) and has no version counter, so autograd { $how ->
        [written] cannot track the write on line { NUMBER($line, useGrouping: 0) }. PyTorch refuses it outside inference mode.
       *[saved] could not detect a later write to it. PyTorch refuses to save it for backward on line { NUMBER($line, useGrouping: 0) }.
    } A `.clone()` outside inference mode creates a normal tensor; `torch.no_grad()` creates normal tensors.{ error-caught }
fix-no_grad_instead = Use `torch.no_grad()` instead

finding-overlapping_write-title = Several elements share one memory location
finding-overlapping_write =
    Several elements of { $known ->
        [yes] `{ $name }`{ $maker_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($maker_line, useGrouping: 0) })
        }
       *[no] the tensor
    } share one memory location{ $operator ->
        [none] {""}
       *[other] , because `{ $operator }` copies nothing
    }. Line { NUMBER($line, useGrouping: 0) } would write several values to it, so PyTorch refuses. A `.clone()` gives each element its own memory.{ error-caught }
fix-clone_expanded = Give each element its own memory: add `.clone()`

finding-own_memory-title = A write that reads the same memory
finding-own_memory = Line { NUMBER($line, useGrouping: 0) } writes `{ $name }` in place and reads `{ $read }` from the same memory. PyTorch refuses this, because the result would depend on which element is written first. Read a copy: `{ $read }.clone()`.{ error-caught }
fix-clone_what_is_read = Read a copy: add `.clone()`

finding-not_marked_dirty-title = A custom Function writes its input without `mark_dirty`
finding-not_marked_dirty = `{ $function }` writes its input `{ $name }` in place on line { NUMBER($line, useGrouping: 0) } and does not call `{ $ctx }.mark_dirty({ $name })`. Autograd does not know that `{ $name }` has changed, so gradients may be wrong.
fix-mark_dirty = Add `{ $ctx }.mark_dirty({ $name })`

finding-not_viewable-title = `view` is not possible with this memory layout
finding-not_viewable = `{ $name }`{ $maker_line ->
        [0] {""}
       *[other] {" "}(line { NUMBER($maker_line, useGrouping: 0) })
    } has shape `{ $shape }` and strides `{ $stride }`. With these strides, no view of it has the shape that line { NUMBER($line, useGrouping: 0) } asks for. `reshape` copies the elements if necessary.{ error-caught }
fix-reshape_instead = Use `reshape`, which copies if necessary

finding-view_detached-title = `detach_()` on a view
finding-view_detached = `{ $name }` is a view{ $known ->
        [yes] {" "}of `{ $base }`
       *[no] {""}
    }, and `detach_()` is not allowed on a view, so PyTorch refuses line { NUMBER($line, useGrouping: 0) }. `.detach()` returns a new tensor without the graph, on the same memory.{ error-caught }

finding-narrow_write-title = This dtype cannot hold the result
finding-narrow_write = { $how ->
        [divided] Line { NUMBER($line, useGrouping: 0) } divides, so its result is of type `{ $kind }`
       *[other] Line { NUMBER($line, useGrouping: 0) } computes with `{ $operand }`, so its result is of type `{ $kind }`
    }. `{ $name }` has dtype `{ $dtype }`, which cannot hold it, and an in-place operation does not change the dtype. Create a new tensor, or start with a dtype that can hold the result.{ error-caught }
fix-floats_only = Write floating-point tensors only

finding-not_parameter-title = Only a Parameter can be assigned here
finding-not_parameter = `{ $name }` is a Parameter of its module. Line { NUMBER($line, useGrouping: 0) } assigns an ordinary tensor to it, and modules do not allow that. To change its values, write them into it under `torch.no_grad()`.{ error-caught }
fix-copy_into_parameter = Copy the values into the Parameter
fix-new_parameter = Assign a new Parameter (an optimizer that was created before does not update it)

## Unexpected results without an error

finding-non_leaf_grad-title =
    { $how ->
        [lost] The name no longer refers to the leaf
        [moved] `retain_grad()` was called on another tensor
        [element] The gradient is on the leaf, not on its element
       *[middle] A non-leaf tensor does not keep its gradient
    }
finding-non_leaf_grad =
    { $how ->
        [lost] Line { NUMBER($maker_line, useGrouping: 0) } assigns a new tensor to `{ $name }`. It is not the leaf that was called `{ $name }` before. By default, autograd keeps gradients only for leaves, so `{ $name }.grad` on line { NUMBER($line, useGrouping: 0) } is `None`.
        [moved] Line { NUMBER($asked_line, useGrouping: 0) } calls `retain_grad()` on the tensor that is called `{ $name }` there. Line { NUMBER($maker_line, useGrouping: 0) } then assigns another tensor to `{ $name }`, which does not retain its gradient, so `{ $name }.grad` on line { NUMBER($line, useGrouping: 0) } is `None`.
        [element] Each `{ $name }` creates a new view, which is not a leaf, so `{ $name }.grad` on line { NUMBER($line, useGrouping: 0) } is `None`. The gradient is in the leaf: read `{ $instead }`.
       *[middle] `{ $name }` was computed on line { NUMBER($maker_line, useGrouping: 0) } and is not a leaf. By default, autograd keeps gradients only for leaves, so `{ $name }.grad` on line { NUMBER($line, useGrouping: 0) } is `None`. To keep it, call `{ $name }.retain_grad()` before the backward.
    }
fix-retain_grad = Keep the gradient: add `{ $name }.retain_grad()`
fix-read_leaf_grad = Read `{ $instead }`

finding-grad_accumulated-title = Gradients accumulate
finding-grad_accumulated =
    { $updated ->
        [yes] Line { NUMBER($write_line, useGrouping: 0) } updated { $known ->
            [yes] `{ $name }`
           *[no] a leaf
        }{ $others ->
            [0] {""}
            [one] {" "}and one more leaf
           *[other] {" "}and { $others } more leaves
        }, but the gradient was not reset afterwards. { $rounds ->
            [same] So the next backward on line { NUMBER($second_line, useGrouping: 0) } added its gradient to the one from the previous iteration.
           *[other] So the backward on line { NUMBER($second_line, useGrouping: 0) } added its gradient to the one from line { NUMBER($first_line, useGrouping: 0) }.
        }
       *[no] { $known ->
            [yes] `{ $grad }`
           *[no] The gradient of a leaf
        } is a sum: backward adds to `.grad` and does not replace it. { $rounds ->
            [same] Each backward on line { NUMBER($second_line, useGrouping: 0) } added its gradient to the previous ones.
           *[other] The backward on line { NUMBER($second_line, useGrouping: 0) } added its gradient to the one from line { NUMBER($first_line, useGrouping: 0) }.
        }
    }
fix-clear_grad = Reset the gradient before the backward

finding-nan_gradient-title = NaN or infinity in a gradient
finding-nan_gradient =
    { $how ->
        [where] `torch.where` selects the other branch, but the backward on line { NUMBER($line, useGrouping: 0) } goes through both. The branch that is not selected gets a gradient of 0, and `{ $node }`{ $maker_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($maker_line, useGrouping: 0) })
        } multiplies it by a derivative that is infinite or NaN there, which gives NaN.
        [forward] The forward result of `{ $node }`{ $maker_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($maker_line, useGrouping: 0) })
        } contains NaN or infinity. In the backward on line { NUMBER($line, useGrouping: 0) }, it receives finite gradients and returns NaN or infinity.
       *[other] In the backward on line { NUMBER($line, useGrouping: 0) }, `{ $node }`{ $maker_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($maker_line, useGrouping: 0) })
        } receives finite gradients and returns NaN or infinity.
    }{ $grad ->
        [none] {""}
       *[other] {" "}So `{ $grad }` also contains NaN or infinity.
    }{ error-remedy }
fix-safe_argument = Replace the critical arguments with a second `torch.where`
fix-add_epsilon = Add a small number under the root: `+ 1e-12`

finding-live_state-title = `state_dict()` is not a copy
finding-live_state = `state_dict()` on line { NUMBER($line, useGrouping: 0) } copies nothing: the tensors in `{ $name }` share memory with the model. So { $write_line ->
        [0] a later write
       *[other] line { NUMBER($write_line, useGrouping: 0) }
    } also changed `{ $path }`.
fix-copy_state = Keep a copy: `copy.deepcopy`

finding-one_memory-title = Several entries share the same memory
finding-one_memory =
    { $same ->
        [yes] `{ $one }` and `{ $other }` are the same tensor.
        [arrays] `{ $one }` and `{ $other }` are two arrays that use the memory of one tensor.
       *[no] `{ $one }` and `{ $other }` are two tensors that share memory.
    } Line { NUMBER($write_line, useGrouping: 0) } modified it in place before it was added to `{ $name }` again, so both entries show the last values.
fix-keep_a_copy = Add a copy to the list: `.clone()`
fix-keep_an_array = Add a copy to the list: `.copy()`

finding-kept_graphs-title = Old graphs stay in memory
finding-kept_graphs =
    { $how ->
        [sum] `{ $name }` on line { NUMBER($line, useGrouping: 0) } adds up `{ $loss }` together with its graph. It now keeps the graphs of { $rounds } backward passes, and memory use grows with each one.
       *[list] `{ $name }` on line { NUMBER($line, useGrouping: 0) } stores `{ $loss }` together with its graph. It now keeps { $rounds } graphs whose backward is done.
    } `{ $loss }.item()` is a plain number without a graph.
fix-keep_a_number = Keep only the number: add `.item()`

finding-frozen_late-title = Frozen after the forward pass
finding-frozen_late = Line { NUMBER($freeze_line, useGrouping: 0) } turned off `requires_grad` of { $known ->
        [yes] `{ $name }`
       *[no] a leaf
    } after the forward pass had recorded it. The backward on line { NUMBER($line, useGrouping: 0) } still computed its gradient but did not store it: { $known ->
        [yes] `{ $grad }`
       *[no] its `.grad`
    } did not change. To save this work, freeze it before the forward pass.

finding-spread_write-title = One write changes several elements
finding-spread_write = Several elements of `{ $name }` (line { NUMBER($maker_line, useGrouping: 0) }) share one memory location{ $operator ->
        [none] {""}
       *[other] , because `{ $operator }` copies nothing
    }. So writing `{ $part }` on line { NUMBER($line, useGrouping: 0) } also changed other elements of `{ $name }`.

finding-same_object-title = Two names for one tensor
finding-same_object = `{ $method }` on line { NUMBER($line, useGrouping: 0) } had nothing to convert and returned the same tensor, not a copy. { $how ->
        [argument] `{ $name }` is still the caller's `{ $other }`, so the write on line { NUMBER($write_line, useGrouping: 0) } changed `{ $other }` too.
       *[name] `{ $name }` is `{ $other }`, so the write on line { NUMBER($write_line, useGrouping: 0) } is visible under both names.
    }
fix-copy_first = Make a copy: add `.clone()`

finding-not_copied-title = No copy was made
finding-not_copied = `{ $how }` on line { NUMBER($line, useGrouping: 0) } copies no values: `{ $name }` and `{ $other }` share memory. The write on line { NUMBER($write_line, useGrouping: 0) } changed both.

finding-rewrapped-title = A copy of the values has no graph
finding-rewrapped = `{ $call }` on line { NUMBER($line, useGrouping: 0) } copies the values of { $count ->
        [one] a tensor that requires grad
       *[other] tensors that require grad
    } into a new tensor, which is not connected to the graph. No gradient will flow back through it.

finding-small_view-title = A small view keeps a large storage
finding-small_view = `{ $name }` on line { NUMBER($line, useGrouping: 0) } uses { $looked }, but a view keeps its whole storage in memory: { $kept }. No variable uses the rest of it. A `.clone()` keeps only the elements that it uses.

finding-numpy_of_tracked-title = `numpy()` on a tensor that requires grad
finding-numpy_of_tracked = `{ $name }` requires grad. `numpy()` on line { NUMBER($line, useGrouping: 0) } would share its memory with an array, and autograd does not track what NumPy does with it, so PyTorch refuses.{ error-caught }
fix-detach_first = Convert only the values: add `.detach()`

finding-other_parameter-title = The optimizer holds another Parameter
finding-other_parameter =
    Since line { NUMBER($line, useGrouping: 0) }, `{ $name }` is a different { $type ->
        [Parameter] Parameter
       *[other] tensor
    } from the one that `{ $optimizer }` holds, so `{ $optimizer }` does not update it. { $type ->
        [Parameter] Create the optimizer after the model is complete.
       *[other] Create the optimizer after this line.
    }
fix-optimizer_after = Create the optimizer after the Parameter is replaced

finding-leaf_needed-title = A leaf tensor is needed
finding-leaf_needed =
    `{ $name }` (line { NUMBER($maker_line, useGrouping: 0) }) is the result of a computation, not a leaf. { $how ->
        [optimizer] Optimizers accept only leaf tensors, so line { NUMBER($line, useGrouping: 0) } is refused.{ $leaves ->
            [0] {""}
           *[other] {" "}To train { $leaves ->
                [one] `{ $leaf }`, from which it was computed, give the optimizer `{ $leaf }`
               *[other] the leaves that it was computed from, such as `{ $leaf }`, give the optimizer these
            } and compute `{ $name }` again in every iteration. To train `{ $name }` itself, make it a leaf with `.detach().requires_grad_()`.
        }
        [requires_grad] Its `requires_grad` follows from its inputs and cannot be set, so PyTorch refuses line { NUMBER($line, useGrouping: 0) }. `.detach()` returns a tensor that does not require grad.
        [module] `deepcopy` on line { NUMBER($line, useGrouping: 0) } copies everything that `{ $holder }` holds, and PyTorch can deep-copy only leaf tensors. Keep `{ $name }` in a local variable, or store the result of `.detach()`.
       *[deepcopy] PyTorch can deep-copy only leaf tensors, so it refuses line { NUMBER($line, useGrouping: 0) }. `.detach().clone()` copies the values.
    }{ error-caught }
fix-make_leaf = Make the tensor a leaf: `.detach().requires_grad_()`
fix-detach_instead = Use `.detach()`
fix-clone_instead = Copy the values: `.detach().clone()`

finding-repeated_list-title = A list that holds one tensor several times
finding-repeated_list = `*` on line { NUMBER($line, useGrouping: 0) } repeats the reference to one tensor and makes no copies. All entries of `{ $name }` are the same tensor, so the write on line { NUMBER($write_line, useGrouping: 0) } changes every entry.
fix-each_its_own = Create a separate tensor for each entry

finding-kept_grad-title = A kept gradient that changes later
finding-kept_grad = `{ $name }` (line { NUMBER($line, useGrouping: 0) }) is `{ $grad }` itself, not a copy. { $how ->
        [added] The backward on line { NUMBER($write_line, useGrouping: 0) } added to it in place
        [zeroed] Line { NUMBER($write_line, useGrouping: 0) } set it to zero in place
       *[written] Line { NUMBER($write_line, useGrouping: 0) } modified it in place
    }, so `{ $name }` changed too.
fix-clone_grad = Keep a copy: add `.clone()`

finding-data_assigned-title = Two tensors share memory but not the version counter
finding-data_assigned = Line { NUMBER($line, useGrouping: 0) } copies no values: { $known ->
        [yes] `{ $name }`
       *[no] a tensor
    } now uses the memory of `{ $owner }`, and each keeps its own version counter. So line { NUMBER($write_line, useGrouping: 0) } also changed `{ $follower }`, and autograd cannot detect it.
fix-clone_given = Assign a copy: add `.clone()`

finding-numpy_alias-title = An array and a tensor share memory
finding-numpy_alias = Since line { NUMBER($line, useGrouping: 0) }, the tensor `{ $name }` and the array `{ $array }` share memory. { $by ->
        [numpy] Line { NUMBER($write_line, useGrouping: 0) } wrote the array, so `{ $name }` changed too, but its version counter did not.
       *[torch] Line { NUMBER($write_line, useGrouping: 0) } wrote the tensor in place, so `{ $array }` changed too.
    }
fix-copy_once = Copy the values when they are converted

finding-reshape_view-title = `{ $method }` returned a view
finding-reshape_view = With the memory layout of `{ $other }`, `{ $method }` on line { NUMBER($line, useGrouping: 0) } returns a view and copies nothing. `{ $name }` and `{ $other }` share memory, so the write on line { NUMBER($write_line, useGrouping: 0) } also changed `{ $follower }`. With another layout, it would return a copy.

finding-lost_write-title = A write to a temporary copy
finding-lost_write =
    { $how ->
        [index] `{ $piece }` selects elements into a copy.
       *[method] `{ $piece }` returns a copy here.
    } Line { NUMBER($line, useGrouping: 0) } writes to this copy, which is then discarded, so `{ $name }` does not change.
fix-assign_index = Assign through the index: `x[...] = ...`

finding-mutable_default-title = A mutable default argument
finding-mutable_default = The default of `{ $parameter }` is created once, when line { NUMBER($line, useGrouping: 0) } defines `{ $function }`, not for each call. { $how ->
        [written] What line { NUMBER($left_line, useGrouping: 0) } wrote into it in one call
       *[kept] What line { NUMBER($left_line, useGrouping: 0) } stored in it in one call (`{ $path }`)
    } was still there when line { NUMBER($call_line, useGrouping: 0) } called `{ $function }` again.
fix-default_none = Create the default value in each call

finding-hook_left-title = The hook belongs to the value before the write
finding-hook_left = Line { NUMBER($line, useGrouping: 0) } registered the hook before line { NUMBER($write_line, useGrouping: 0) } modified `{ $name }` in place. The hook belongs to the value before the write, so in the backward on line { NUMBER($needer_line, useGrouping: 0) } it received the gradient of that value.
fix-hook_after = Register the hook after the write

## Shapes

# The first sentence of a finding about shapes.
error-shapes =
    `{ $left }`{ $left_line ->
        [0] {""}
       *[other] { $left_from ->
            [made] {" "}(line { NUMBER($left_line, useGrouping: 0) })
           *[view] {" "}(from line { NUMBER($left_line, useGrouping: 0) })
        }
    } has shape `{ $left_shape }` and `{ $right }`{ $right_line ->
        [0] {""}
       *[other] { $right_from ->
            [made] {" "}(line { NUMBER($right_line, useGrouping: 0) })
           *[view] {" "}(from line { NUMBER($right_line, useGrouping: 0) })
        }
    } has shape `{ $right_shape }`.

finding-matmul_mismatch-title = These shapes cannot be multiplied
finding-matmul_mismatch =
    { error-shapes } { $rule ->
        [inner] A matrix product on line { NUMBER($line, useGrouping: 0) } sums over the last dimension of `{ $left }` and the { $right_at ->
            [-1] only dimension
           *[other] second-to-last dimension
        } of `{ $right }`, so the two must have the same size, but the sizes are { NUMBER($left_size, useGrouping: 0) } and { NUMBER($right_size, useGrouping: 0) }.
        [equal_batch] `bmm` multiplies the matrices of both batches one by one, so on line { NUMBER($line, useGrouping: 0) } the first dimensions must be equal, but they are { NUMBER($left_size, useGrouping: 0) } and { NUMBER($right_size, useGrouping: 0) }.
        [batch] On line { NUMBER($line, useGrouping: 0) }, the dimensions before the last two are batch dimensions and must be equal or 1. In dimension { $left_at }, the sizes are { NUMBER($left_size, useGrouping: 0) } and { NUMBER($right_size, useGrouping: 0) }.
        [dimensions] `{ $function }` on line { NUMBER($line, useGrouping: 0) } takes a tensor of { $left_wanted ->
            [1] 1 dimension
           *[other] { $left_wanted } dimensions
        } and one of { $right_wanted }, and these have { $left_count } and { $right_count }.
        [transposed] `linear` on line { NUMBER($line, useGrouping: 0) } multiplies with the transposed weight, whose last dimension counts the input features: the last dimensions must be equal, but they are { NUMBER($left_size, useGrouping: 0) } and { NUMBER($right_size, useGrouping: 0) }.
       *[no_dimension] A matrix product on line { NUMBER($line, useGrouping: 0) } needs at least one dimension on each side; multiply by a single number with `*`.
    }{ $advice ->
        [right] {" "}With its last two dimensions transposed, `{ $right }` would fit.
        [left] {" "}With its last two dimensions transposed, `{ $left }` would fit.
        [both] {" "}With the last two dimensions of either one transposed they would fit, but the two products differ.
       *[none] {""}
    }{ error-caught }

finding-broadcast_mismatch-title = These shapes do not broadcast
finding-broadcast_mismatch =
    { error-shapes } { $rule ->
        [equal] Line { NUMBER($line, useGrouping: 0) } works element by element: from the last dimension backwards, the sizes must be equal or 1. In dimension { $at }, they are { NUMBER($left_size, useGrouping: 0) } and { NUMBER($right_size, useGrouping: 0) }.
        [written] Line { NUMBER($line, useGrouping: 0) } writes `{ $right }` into `{ $left }`, so from the last dimension backwards, each size of `{ $right }` must be the same or 1. In dimension { $at }, the sizes are { NUMBER($left_size, useGrouping: 0) } and { NUMBER($right_size, useGrouping: 0) }.
       *[in_place] They broadcast to shape `{ $result }`, and line { NUMBER($line, useGrouping: 0) } writes the result into `{ $left }`, which cannot change its shape.
    }{ $advice ->
        [right] {" "}With one more dimension of size 1 at the end (`unsqueeze(-1)`), `{ $right }` would fit.
        [left] {" "}With one more dimension of size 1 at the end (`unsqueeze(-1)`), `{ $left }` would fit.
       *[none] {""}
    }{ error-caught }

finding-reshape_mismatch-title = This shape is not possible
finding-reshape_mismatch =
    `{ $left }`{ $left_line ->
        [0] {""}
       *[other] { $left_from ->
            [made] {" "}(line { NUMBER($left_line, useGrouping: 0) })
           *[view] {" "}(from line { NUMBER($left_line, useGrouping: 0) })
        }
    } has shape `{ $left_shape }`{ $rule ->
        [count] : { $elements ->
            [one] 1 element
           *[other] { NUMBER($elements, useGrouping: 0) } elements
        }. Line { NUMBER($line, useGrouping: 0) } asks for shape `{ $wanted }`, which has { NUMBER($number, useGrouping: 0) }. `{ $function }` keeps every element, so both counts must be equal.
        [rest] : { $elements ->
            [one] 1 element
           *[other] { NUMBER($elements, useGrouping: 0) } elements
        }. Line { NUMBER($line, useGrouping: 0) } asks for shape `{ $wanted }`, where -1 is inferred from the other dimensions, but { NUMBER($elements, useGrouping: 0) } is not a multiple of { NUMBER($number, useGrouping: 0) }.
        [two] . Line { NUMBER($line, useGrouping: 0) } asks for shape `{ $wanted }`, but only one dimension may be -1: with two of them the sizes are not determined.
        [fewer] . Line { NUMBER($line, useGrouping: 0) } expands it to `{ $wanted }`, which has fewer dimensions; `expand` can only add dimensions in front.
       *[expand] . Line { NUMBER($line, useGrouping: 0) } expands it to `{ $wanted }`, but `expand` only repeats dimensions of size 1: dimension { $number } has size { NUMBER($left_size, useGrouping: 0) }, not 1, and cannot become { NUMBER($wanted_size, useGrouping: 0) }.
    }{ error-caught }

finding-join_mismatch-title = These shapes cannot be joined
finding-join_mismatch =
    { error-shapes } { $rule ->
        [size] On line { NUMBER($line, useGrouping: 0) }, `{ $function }` joins along dimension { $dimension }, so every other dimension must have the same size. In dimension { $at }, the sizes are { NUMBER($left_size, useGrouping: 0) } and { NUMBER($right_size, useGrouping: 0) }.
        [count] On line { NUMBER($line, useGrouping: 0) }, `{ $function }` joins tensors along a dimension that they have, so they must have the same number of dimensions, but they have { $left_size } and { $right_size }.
        [stack] On line { NUMBER($line, useGrouping: 0) }, `stack` adds a new dimension, so all shapes must be the same. In dimension { $at }, the sizes are { NUMBER($left_size, useGrouping: 0) } and { NUMBER($right_size, useGrouping: 0) }.
       *[stack_count] On line { NUMBER($line, useGrouping: 0) }, `stack` adds a new dimension, so all shapes must be the same. These tensors have { $left_size } and { $right_size } dimensions.
    }{ error-caught }

finding-layer_input-title = The layer expects an input of another shape
finding-layer_input =
    { error-shapes } { $rule ->
        [size] `{ $module }` (`{ $layer }`) expects { NUMBER($wanted, useGrouping: 0) } { $layer ->
            [Linear] features
            [LayerNorm] features
            [RMSNorm] features
            [MultiheadAttention] features
            [LSTM] features
            [GRU] features
            [RNN] features
            [LSTMCell] features
            [GRUCell] features
            [RNNCell] features
           *[other] channels
        }, but on line { NUMBER($line, useGrouping: 0) } dimension { $at } of its input has size { NUMBER($size, useGrouping: 0) }.
       *[dimensions] `{ $module }` (`{ $layer }`) expects inputs with { $less ->
            [0] { $wanted }
           *[other] { $less } or { $wanted }
        } dimensions, but on line { NUMBER($line, useGrouping: 0) } its input has { $size ->
            [one] 1 dimension
           *[other] { $size } dimensions
        }.
    }{ $advice ->
        [flatten] {" "}Flattened from dimension 1 on (`torch.flatten({ $left }, 1)`), it would fit.
        [channels_last] {" "}The last dimension has that size; if it counts the channels, `permute` can move it to dimension 1.
       *[none] {""}
    }{ error-caught }

finding-loss_target-title = The loss expects another target
finding-loss_target =
    { error-shapes } { $rule ->
        [batch] `{ $loss }` on line { NUMBER($line, useGrouping: 0) } expects one class index for each row of its input, so the target must have { NUMBER($wanted, useGrouping: 0) } indices, not { NUMBER($size, useGrouping: 0) }.
        [dimensions] `{ $loss }` on line { NUMBER($line, useGrouping: 0) } expects one class index for each row of its input, so the target must have one dimension less than the input.
        [dtype] `{ $loss }` on line { NUMBER($line, useGrouping: 0) } expects class indices of dtype `int64`, and `{ $right }` has dtype `{ $dtype }`; `{ $right }.long()` converts it.
        [probabilities] A target of the same shape as the input is read as class probabilities, which must be floating-point numbers, but `{ $right }` has dtype `{ $dtype }`. For class indices, `{ $loss }` on line { NUMBER($line, useGrouping: 0) } expects one for each row of its input.
        [floats] `{ $loss }` on line { NUMBER($line, useGrouping: 0) } expects a target of floating-point numbers with the dtype of its input, `{ $given_dtype }`, and `{ $right }` has dtype `{ $dtype }`.
        [spatial] `{ $loss }` on line { NUMBER($line, useGrouping: 0) } reads dimension 1 of its input as the classes and expects one class index for each other position: a target of shape `{ $wanted_shape }`.
       *[equal] `{ $loss }` on line { NUMBER($line, useGrouping: 0) } compares element by element and does not broadcast, so both shapes must be the same.
    }{ $advice ->
        [squeeze] {" "}`{ $right }.squeeze(1)` has this shape.
        [transpose] {" "}If the last dimension of `{ $left }` counts the classes, `{ $left }.transpose(1, 2)` has them in dimension 1.
       *[none] {""}
    }{ error-caught }

finding-loss_broadcast-title = The loss broadcasts its input and target
finding-loss_broadcast =
    `{ $left }` has shape `{ $left_shape }` and `{ $right }` has shape `{ $right_shape }`. Line { NUMBER($line, useGrouping: 0) } broadcasts both to `{ $result }`, so { $how ->
        [comparison] it compares
        [product] it multiplies
       *[loss] the loss compares
    } each element with several elements of the other tensor. Give both the same shape, for instance with `squeeze` or `unsqueeze`.

## The card of a finding

when-saved = when saved
now = now
its-counter = version counter
value-in = value in `{ $storage }`
same-counter = equal, no error
changed-counter = changed, error
same-value = unchanged
changed-value = changed
card-saved = `{ $slot }` of `{ $node }`
card-things = Saved tensors, tensors and storages of this finding
step-part = { $part }: line { NUMBER($line, useGrouping: 0) }
part-saver = saved
part-writer = written
part-write = written
part-needer = needed
part-maker = created
part-cut = cut
part-use = used
part-first = first backward
part-second = second backward
part-freeze = frozen
to-step = step { NUMBER($step, useGrouping: 0) }, line { NUMBER($line, useGrouping: 0) }
shapes-label = Both shapes, dimension by dimension
shapes-wanted = asked for
shapes-taken = taken by `{ $module }`
shapes-any = any
trial-pending = Trying it …
trial-works = Tested: this fix works.
trial-fails = Tested: this fix does not repair the program.
trial-untried = Not tried yet.
trial-untold = Tested, but it is not clear whether this fix works.
trial-unsteady = Not clear whether this fix works: the program gives different results in each run.
trial-unknown = This fix could not be tested now.
trial-try = Try it
trial-try-fix = Try it: { $fix }
