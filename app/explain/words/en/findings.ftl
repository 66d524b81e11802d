### What the findings say. `finding-<kind>-title`, `finding-<kind>`, `fix-<title>`; backticks mark code.
### A line of 0 and a version of -1 are not known.

## Saved tensors

finding-stale_saved_tensor-title = A saved tensor was written before backward could use it
finding-stale_saved_tensor =
    `{ $node }`{ $saver_line ->
        [0] {""}
       *[other] {" "}on line { NUMBER($saver_line, useGrouping: 0) }
    } saved { $relation ->
        [itself] `{ $name }`
        [view] a view of `{ $name }`
       *[unnamed] its `{ $slot }`
    }{ $saved_version ->
        [-1] {""}
       *[other] {" "}at version { NUMBER($saved_version, useGrouping: 0) }
    } to compute its gradient later; { $writer_line ->
        [0] a later write
       *[other] line { NUMBER($writer_line, useGrouping: 0) }
    }{ $way ->
        [alias] , writing through `{ $through }`,
       *[direct] {""}
    } { $bytes ->
        [changed] { $written_version ->
            [-1] changed it
           *[other] changed it to version { NUMBER($written_version, useGrouping: 0) }
        }; so the number it needs is gone.
       *[unknown] { $written_version ->
            [-1] moved its version on
           *[other] moved its version to { NUMBER($written_version, useGrouping: 0) }
        }; the version counts writes to any part of that memory, so autograd can no longer trust the number it needs.
    } { $needer_line ->
        [0] A backward that comes here will raise.
       *[other] That is why the backward on line { NUMBER($needer_line, useGrouping: 0) } raised.
    }

finding-silently_wrong_gradient-title = A silently wrong gradient
finding-silently_wrong_gradient =
    `{ $node }`{ $saver_line ->
        [0] {""}
       *[other] {" "}on line { NUMBER($saver_line, useGrouping: 0) }
    } saved { $relation ->
        [itself] `{ $name }`
        [view] a view of `{ $name }`
       *[unnamed] its `{ $slot }`
    }{ $saved_version ->
        [-1] {""}
       *[other] {" "}at version { NUMBER($saved_version, useGrouping: 0) }
    } to compute its gradient later; { $writer_line ->
        [0] a later write
       *[other] line { NUMBER($writer_line, useGrouping: 0) }
    }{ $way ->
        [alias] , writing through `{ $through }`,
       *[direct] {""}
    } changed those bytes, and the version counter that autograd checks did not move. { $needer_line ->
        [0] A backward that comes here will compute with the new numbers and tell nobody.
       *[other] So the backward on line { NUMBER($needer_line, useGrouping: 0) } computed with the new numbers and told nobody: its gradient is not that of the forward pass.
    }

fix-clone_before_write = Write to a copy: add `.clone()`
fix-write_out_of_place = Make a new tensor instead of writing in place
fix-move_write_below = Move the step below the backward
fix-clone_before_save = Let autograd save a copy: add `.clone()`
fix-detach_tells = Use `.detach()`, so that torch notices the write and raises

## Pasted text

finding-pasted_prompts-title = This looks copied from a session
finding-pasted_prompts = Line { NUMBER($line, useGrouping: 0) } begins with a prompt such as `>>>` or `In [1]:`, which is not part of the code; lines without a prompt are what the session printed.
fix-strip_prompts = Keep only what was typed

finding-pasted_indentation-title = The code is indented
finding-pasted_indentation = From line { NUMBER($line, useGrouping: 0) } on, every line is moved to the right, as if it stood inside a block. Python wants the outermost lines to begin at the margin.
fix-strip_indentation = Move the code to the margin

finding-shell_lines-title = An order to a notebook or a shell
finding-shell_lines =
    { $count ->
        [one] Line { NUMBER($line, useGrouping: 0) } is no Python: `!`, `%` and `pip install` are orders to a notebook or a shell.
       *[other] Line { NUMBER($line, useGrouping: 0) } and others, { $count } in all, are no Python: `!`, `%` and `pip install` are orders to a notebook or a shell.
    } Nothing can be installed here; the standard library, torch and numpy are there already.
fix-comment_shell_lines = Make them comments

## Imports and packages

finding-missing_import-title = An import is missing
finding-missing_import =
    The snippet uses { $names } from line { NUMBER($line, useGrouping: 0) } on, but never imports { $count ->
        [one] it.
       *[other] them.
    }
fix-add_import = Add `{ $statement }`

finding-absent_package-title = A package that is not here
finding-absent_package =
    { $line ->
        [0] The snippet
       *[other] Line { NUMBER($line, useGrouping: 0) }
    } needs `{ $package }`, which is not here. The standard library, torch and numpy are.
fix-without_package = Go on without `{ $package }`

## Surroundings

finding-keyboard_input-title = Nobody can type here
finding-keyboard_input = Line { NUMBER($line, useGrouping: 0) } waits for `input()`, but a run has no keyboard. Write the answer into the snippet.
fix-answer_input = Put `"1"` where `input()` stands

finding-worker_processes-title = A run is one process
finding-worker_processes = Line { NUMBER($line, useGrouping: 0) } asks a DataLoader for worker processes, and a run cannot start any. With `num_workers=0` the same batches come from the run itself.
fix-no_workers = Use `num_workers=0`

finding-download-title = A run has no network
finding-download = Line { NUMBER($line, useGrouping: 0) } wants to download something, and a run has no network. A few numbers of your own, such as `torch.randn(4, 3)`, show the same autograd.

finding-sealed-title = A run is sealed off
finding-sealed =
    { $line ->
        [0] The snippet asks
       *[other] Line { NUMBER($line, useGrouping: 0) } asks
    } for something that a run may not do. It has no network, starts no other process or program, and keeps files only in `/tmp`; torch, numpy and Python's own library work as everywhere.

finding-no_gpu-title = This machine has no GPU
finding-no_gpu =
    { $line ->
        [0] The snippet
       *[other] Line { NUMBER($line, useGrouping: 0) }
    } asks for a GPU, and this machine has none. The CPU can stand in for it: every tensor says on which device it would be, and every number is the CPU's.
fix-stand_in = Run again with the CPU standing in for it

## Backward

finding-freed_graph-title = A second backward through what a first one freed
finding-freed_graph =
    { $how ->
        [carried] Line { NUMBER($use_line, useGrouping: 0) } computed with { $named ->
            [yes] `{ $name }`, which still hangs on a graph
           *[no] a tensor that still hangs on a graph
        } that the backward on line { NUMBER($first_line, useGrouping: 0) } had freed{ $rounds ->
            [same] {" "}in an earlier round; so the same backward walked into it again
           *[other] ; so the backward on line { NUMBER($second_line, useGrouping: 0) } walked into it again
        } and found nothing saved in `{ $node }`.
        [shared] Both backwards go through `{ $name }` of line { NUMBER($saver_line, useGrouping: 0) }: the one on line { NUMBER($first_line, useGrouping: 0) } used up and freed what that part of the graph had saved, so the one on line { NUMBER($second_line, useGrouping: 0) } found nothing left in `{ $node }`.
       *[again] `{ $node }`{ $saver_line ->
            [0] {""}
           *[other] {" "}of line { NUMBER($saver_line, useGrouping: 0) }
        } had saved what one backward needs; the one on line { NUMBER($first_line, useGrouping: 0) } used it and freed it, so { $rounds ->
            [same] the next backward on that line
           *[other] the one on line { NUMBER($second_line, useGrouping: 0) }
        } could not go through the same graph again.
    }
fix-detach_carried = Carry on the values only: add `.detach()`
fix-sum_losses = Add the losses and run one backward
fix-retain_graph = Keep the graph for the second backward
