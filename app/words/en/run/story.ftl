### The effects of a step, as sentences.

## What just happened. Backticks mark code; `S4` is a storage, `v1` a version, `[1.]` a gradient.

story-title = Step { NUMBER($step, useGrouping: 0) }: what just happened
story-nothing = This step changes nothing in the pictures.
story-else = What else happened ({ NUMBER($count, useGrouping: 0) })

## Phrases used in the sentences below

phrase-code = `{ $text }`
phrase-once = the tensor formerly called `{ $name }`
phrase-unnamed = a tensor without a name
phrase-more = { $count } more
phrase-node =
    `{ $node }`{ $line ->
        [0] {""}
       *[other] {" "}of line { NUMBER($line, useGrouping: 0) }
    }
phrase-nodes =
    { $count ->
        [one] `{ $node }`
       *[other] { NUMBER($count, useGrouping: 0) } Nodes `{ $node }`
    }
phrase-saved =
    `{ $slot }`{ $version ->
        [-1] {""}
       *[other] {" "}at `v{ NUMBER($version, useGrouping: 0) }`
    }
phrase-gradient = the gradient `{ $value }`
phrase-gradient-shape =
    a { $shape ->
        [scalar] scalar gradient
       *[other] gradient of shape { $shape }
    }
phrase-gradient-unknown = a gradient with unknown values
phrase-gradients = the sum of the gradients { $values }
phrase-gradients-count =
    { $count ->
        [one] one gradient
       *[other] the sum of { $count } gradients
    }
phrase-device =
    { $device ->
        [cpu] {""}
       *[other] {" "}on `{ $device }`
    }
phrase-grad-of = The `grad` of { $whose }
phrase-its-grad = its `grad`

## The program: calls, variables, output, exceptions

story-raised = Line { NUMBER($line, useGrouping: 0) } raised `{ $type }`: { $message }
story-raised-bare = Line { NUMBER($line, useGrouping: 0) } raised `{ $type }`.
story-raised-through = The call on line { NUMBER($line, useGrouping: 0) } raised `{ $type }`.
story-raised-within = `{ $function }` raised `{ $type }` on line { NUMBER($line, useGrouping: 0) }, which ended this statement.
traceback = Python traceback
traceback-part = Only calls within your code are recorded. Python also prints calls within libraries, and the exception that was the cause of this one.
fault-syntax = Line { NUMBER($line, useGrouping: 0) } is not valid Python: { $message }
story-suppressed = `suppress` caught the `{ $type }` of line { NUMBER($line, useGrouping: 0) }. The program continues after the `with` block.
story-way-there = The calls that led there: { $calls }.
phrase-call = line { NUMBER($line, useGrouping: 0) } called `{ $name }`
phrase-more-calls = { $count ->
        [one] one more call
       *[other] { NUMBER($count, useGrouping: 0) } more calls
    }
story-called =
    { $again ->
        [yes] { $line ->
            [0] Backward started or resumed `{ $name }`.
           *[other] Line { NUMBER($line, useGrouping: 0) } started or resumed `{ $name }`.
        }
       *[no] { $line ->
            [0] Backward called `{ $name }`.
           *[other] Line { NUMBER($line, useGrouping: 0) } called `{ $name }`.
        }
    }
story-returned =
    Control returns from `{ $name }` to { $line ->
        [0] backward
       *[other] line { NUMBER($line, useGrouping: 0) }
    }.
story-holds-value = `{ $name }` is now `{ $text }`.
story-holds-collection =
    `{ $name }` now holds { $count ->
        [0] an empty `{ $type }`.
       *[other] { $type ->
            [OrderedDict] an
           *[other] a
        } `{ $type }` with { $count ->
            [one] one item.
           *[other] { NUMBER($count, useGrouping: 0) } items.
        }
    }
story-holds-array = `{ $name }` now holds a NumPy array: `{ $text }`.
story-holds-function = The function `{ $name }` is defined; its lines run when it is called.
story-holds-class = The class `{ $name }` is defined.
story-holds-module = `{ $name }` now refers to the module `{ $text }`.
story-imported = `{ $name }` is imported.
story-holds-object = `{ $name }` now holds an object of the class `{ $type }`.
story-more-variables =
    { $count ->
        [one] One more variable got a value.
       *[other] { $count } more variables got values.
    }
story-native-output = Native code wrote this text during the run. It is not known when, nor whether to stdout or stderr.
story-printed =
    { $count ->
        [one] It printed `{ $text }`.
       *[other] It printed { NUMBER($count, useGrouping: 0) } lines; the first is `{ $text }`.
    }
story-pointer =
    `{ $number }` is { $names }, { $byte ->
        [0] the first byte
       *[other] byte { NUMBER($byte, useGrouping: 0) }
    } of storage `{ $storage }`.
story-pointer-byte =
    `{ $number }` is { $byte ->
        [0] the first byte
       *[other] byte { NUMBER($byte, useGrouping: 0) }
    } of storage `{ $storage }`.
story-pointer-id = `{ $number }` is `{ $name }`, the id of the Python object.
story-warned = It issued a `{ $category }`: { $text }

## Functions that the sandbox replaces: labels and explanations

mode-compile = runs eagerly
mode-compile-means = `torch.compile` runs its function eagerly here, because a run cannot start a compiler. Compiled code may round differently and raise other errors.
mode-workers = no worker processes
mode-workers-means = The DataLoader loads its batches in the main process, because a run cannot start other processes. The batches may differ if the dataset draws random numbers or reads `get_worker_info()`.
mode-process_group = one rank
mode-process_group-means = The process group has one rank and opens no socket, because a run has no network. Each collective operation returns its input.

## Tensors: new ones, shared memory, names

story-new =
    `{ $name }` is a new { $shape ->
        [scalar] { $look ->
            [leaf] scalar tensor{ phrase-device }, a leaf that requires grad,
           *[other] scalar tensor{ phrase-device }
        }
        [none] { $look ->
            [leaf] tensor{ phrase-device }, a leaf that requires grad, whose shape is not recorded,
           *[other] tensor{ phrase-device } whose shape is not recorded,
        }
       *[other] { $look ->
            [leaf] tensor of shape { $shape }{ phrase-device }, a leaf that requires grad,
           *[other] tensor of shape { $shape }{ phrase-device }
        }
    } with its own storage `{ $storage }`.
story-new-view =
    `{ $name }` is a new { $shape ->
        [none] tensor
        [scalar] scalar tensor
       *[other] tensor of shape { $shape }
    } and a view of { $base }, in storage `{ $storage }`.
story-new-bare =
    `{ $name }` is a new { $shape ->
        [none] tensor; its shape and its storage are not recorded.
        [scalar] scalar tensor; torch does not report its storage.
       *[other] tensor of shape { $shape }; torch does not report its storage.
    }
story-transformed =
    `{ $name }` is a { $shape ->
        [none] tensor
        [scalar] scalar tensor
       *[other] tensor of shape { $shape }
    } of a `torch.func` transform: within `vmap` it stands for one such tensor of each example.
story-same-bytes = `{ $storage }` and `{ $other }` are two storages over the same memory: a write to one changes the other.
story-row-taken =
    `{ $storage }` { $memory ->
        [new] is new memory. In the picture it
       *[old] is shown from now on. It
    } takes the row of `{ $other }`, { $other_is ->
        [kept] which only the graph keeps now.
       *[freed] which is freed.
    }
story-rows-taken-more =
    { $count ->
        [one] One more storage is shown in the row that another storage had.
       *[other] { $count } more storages are shown in rows that other storages had.
    }
story-there-before = These existed before the recording began: { $names }.
story-first-seen =
    `{ $name }` is first seen here: a { $shape ->
        [none] tensor
        [scalar] scalar tensor
       *[other] tensor of shape { $shape }
    } in storage `{ $storage }`.
story-renamed = `{ $name }` is another name for `{ $other }`: the same tensor, not a copy.
story-named =
    `{ $name }` now refers to a tensor that { $line ->
        [0] already existed.
       *[other] line { NUMBER($line, useGrouping: 0) } created.
    }
story-shares =
    `{ $name }` is a new { $shape ->
        [none] tensor
        [scalar] scalar tensor
       *[other] tensor of shape { $shape }
    }{ $view ->
        [yes] {" "}and a view of { $base }
       *[no] {""}
    }: it shares storage `{ $storage }` with `{ $other }`.
story-counter-shared = `{ $name }` and `{ $other }` share one version counter: an in-place write to either one increments it.
story-counter-own = But `{ $name }` has its own version counter: a write to it does not increment the counter of `{ $other }`.
story-counter-none = `{ $name }` was created in inference mode, so it has no version counter.
story-counter-unknown = It is not known whether `{ $name }` shares a version counter.
story-more-tensors =
    { $count ->
        [one] One more tensor got a name.
       *[other] { $count } more tensors got names.
    }
story-numpy = The NumPy array `{ $name }` shares memory with storage `{ $storage }`: a write to one changes the other, and writes by NumPy increment no version counter.
story-unbound = No variable refers to the tensor formerly called `{ $name }`; it is still alive.
story-freed =
    { $count ->
        [one] Storage { $storages } was freed, because nothing uses it any more.
       *[other] The storages { $storages } were freed, because nothing uses them any more.
    }
story-nodes-freed =
    { $count ->
        [one] One Node of the graph was freed, because nothing refers to it any more.
       *[other] { NUMBER($count, useGrouping: 0) } Nodes of the graph were freed, because nothing refers to them any more.
    }

## Writes and version counters

story-wrote =
    { $operator ->
        [none] Values were written
       *[other] `{ $operator }` wrote
    } into storage `{ $storage }` through { $name }{ $to ->
        [none] .
       *[other] : `{ $from }` became `{ $to }`.
    }
story-wrote-from = Line { NUMBER($line, useGrouping: 0) } wrote it.
story-wrote-same = Storage `{ $storage }` was written with the values it already had.
story-wrote-unnamed =
    { $count ->
        [one] A storage without a name was written.
       *[other] { NUMBER($count, useGrouping: 0) } storages without names were written.
    }
story-more-writes =
    { $count ->
        [one] One more storage was written.
       *[other] { NUMBER($count, useGrouping: 0) } more storages were written.
    }
story-wrote-numpy = The bytes of storage `{ $storage }` changed outside torch; the NumPy array `{ $name }` shares them.
story-wrote-behind = The bytes of storage `{ $storage }` changed outside torch.
story-wrote-over = Storage `{ $storage }` uses the same bytes as `{ $other }`, so it changed too.
story-wrote-thread = The bytes of storage `{ $storage }` changed while another thread ran.
story-wrote-unseen = The bytes of storage `{ $storage }` changed; it is not known through which tensor.
story-resized =
    Storage `{ $storage }` now has { $to }; it { $from ->
        [none] was empty.
       *[other] had { $from }.
    }
story-emptied = Storage `{ $storage }` released its memory; it had { $from }.
story-put-elsewhere = torch moved the bytes of storage `{ $storage }` to another address.
story-other-storage =
    { $name } now uses storage `{ $storage }` instead of `{ $old }`{ $count ->
        [0] .
        [one] ; { $names } still uses `{ $old }`.
       *[other] ; { $names } still use `{ $old }`.
    }
story-requires-grad = { $name } now requires grad: autograd records operations on it whenever grad mode is on.
story-requires-no-grad = { $name } no longer requires grad.
story-tangent =
    { $name } carries { $value ->
        [none] a forward-mode tangent of shape { $shape }.
       *[other] the forward-mode tangent `{ $value }`.
    }
story-reads-too =
    { $count ->
        [one] { $names } also uses `{ $storage }`, so its values changed too.
       *[other] { $names } also use `{ $storage }`, so their values changed too.
    }
story-reads-too-value = `{ $name }` also uses `{ $storage }`, so it is now `{ $value }`.
story-reads-elsewhere = `{ $name }` uses other elements of `{ $storage }`, so its values did not change.
story-moved =
    { $count ->
        [one] The version counter of { $names } { $from ->
            [-1] is now at `v{ NUMBER($to, useGrouping: 0) }`.
           *[other] went from `v{ NUMBER($from, useGrouping: 0) }` to `v{ NUMBER($to, useGrouping: 0) }`.
        }
       *[other] { $names } share one version counter: it { $from ->
            [-1] is now at `v{ NUMBER($to, useGrouping: 0) }`.
           *[other] went from `v{ NUMBER($from, useGrouping: 0) }` to `v{ NUMBER($to, useGrouping: 0) }`.
        }
    }
story-still =
    The version counter of { $names } is still at `v{ NUMBER($to, useGrouping: 0) }`: { $why ->
        [unseen] torch did not detect this write.
        [over] the write went through storage `{ $over }`, whose tensors have their own counters.
        [none] this write increments no counter.
       *[other] the write went through { $through }, which has its own counter.
    }

## What autograd recorded and saved

story-recorded =
    { $hooked ->
        [yes] Autograd recorded { $nodes }.
       *[no] { $count ->
            [one] Autograd recorded { $nodes }, which saved no tensor.
           *[other] Autograd recorded { $nodes }; they saved no tensor.
        }
    }
story-recorded-saved =
    Autograd recorded { $count ->
        [one] `{ $node }`
       *[other] { NUMBER($count, useGrouping: 0) } Nodes `{ $node }`
    }{ $module ->
        [none] {""}
       *[other] {" "}in the module `{ $module }`
    }, { $count ->
        [one] which
       *[other] each of which
    } saved { $saved } for backward.
story-recorded-packed =
    Autograd recorded { $count ->
        [one] `{ $node }`
       *[other] { NUMBER($count, useGrouping: 0) } Nodes `{ $node }`
    }{ $module ->
        [none] {""}
       *[other] {" "}in the module `{ $module }`
    }. A saved-tensor hook got { $saved }: torch keeps what the hook returned.
story-next-each = The `next_functions` of each: { $next }.
story-more-nodes =
    { $count ->
        [one] One more Node was recorded.
       *[other] { NUMBER($count, useGrouping: 0) } more Nodes were recorded.
    }
story-stale =
    What { $node } saved as { $saved } is now stale: { $noticed ->
        [yes] its version counter has changed since, so torch will raise an error if backward needs it.
       *[no] its bytes changed but its version counter did not, so torch will not detect it.
    }
story-recording-again = Grad mode is on again: autograd records operations.

## Operators

story-operator = The operator `{ $operator }` ran.
story-first-nan = `{ $operator }` on line { NUMBER($line, useGrouping: 0) } returned the first `nan` of this run.
story-operator-of = The operator `{ $operator }` ran as part of { $node }.
story-made =
    A { $shape ->
        [none] tensor
        [scalar] scalar tensor
       *[other] tensor of shape { $shape }
    } without a name was created in a new storage, `{ $storage }`{ $value ->
        [none] .
       *[other] : `{ $value }`.
    }
story-made-earlier =
    A { $shape ->
        [none] tensor
        [scalar] scalar tensor
       *[other] tensor of shape { $shape }
    } without a name is first seen here, in storage `{ $storage }`.
story-made-on =
    A { $shape ->
        [none] tensor
        [scalar] scalar tensor
       *[other] tensor of shape { $shape }
    } without a name was created; it { $other ->
        [none] uses storage `{ $storage }`.
       *[other] shares storage `{ $storage }` with `{ $other }`.
    }
story-made-without-grad =
    A call in this statement switched grad mode off and then made { $names }, so { $count ->
        [one] it has
       *[other] they have
    } no `grad_fn`.
story-made-bare = A tensor without a name was created; torch does not report its storage.

## Bare expressions

story-result-value = The result is `{ $text }`.
story-result-named =
    The result is `{ $name }`{ $value ->
        [none] .
       *[other] : `{ $value }`.
    }
story-result-tensor =
    The result is a { $shape ->
        [none] tensor
        [scalar] scalar tensor
       *[other] tensor of shape { $shape }
    } in storage `{ $storage }`{ $other ->
        [none] {""}
       *[other] , which it shares with `{ $other }`
    }{ $value ->
        [none] .
       *[other] : `{ $value }`.
    }
story-result-bare =
    The result is a { $shape ->
        [none] tensor
        [scalar] scalar tensor
       *[other] tensor of shape { $shape }
    }{ $value ->
        [none] .
       *[other] : `{ $value }`.
    }

## Registration of hooks

story-hook =
    A hook is registered on { $name }: backward calls { $function ->
        [none] it
       *[other] `{ $function }`
    } with the gradient of { $name }. If the hook returns a tensor, that tensor replaces the gradient.
story-hook-accumulated =
    A hook is registered on { $name }: once backward has added to { $grad }, it calls { $function ->
        [none] the hook
       *[other] `{ $function }`
    } with { $name }.
story-retain = Backward will keep the gradient of { $name } in { $grad }, although { $name } is not a leaf.
story-retain-leaf = { $name } is a leaf: backward keeps its gradient in { $grad } without `retain_grad()`.
story-more-hooks =
    { $count ->
        [one] One more hook is registered.
       *[other] { NUMBER($count, useGrouping: 0) } more hooks are registered.
    }

## Backward

story-node = { $node } received { $value }.
story-sent =
    It sent { $value } to { $nodes ->
        [1] { $to }
       *[other] each of { $nodes } Nodes { $to }
    }{ $times ->
        [1] .
        [2] , twice.
       *[other] , { $times } times.
    }
story-sent-leaf =
    It sent { $value } to the `AccumulateGrad` of { $name }{ $times ->
        [1] .
        [2] , twice.
       *[other] , { $times } times.
    }
story-sent-more =
    { $count ->
        [one] It sent one more gradient.
       *[other] It sent { $count } more gradients.
    }
story-sent-nothing = It sent no gradient.
story-sent-broken = It sent no gradient: backward stopped here with an exception.
story-zero = The gradient is zero everywhere from here on.
story-zero-to = What it sent to { $names } is zero everywhere.
story-on-the-way = It called { $names }.
story-released = Its saved tensors were freed: { $saved }.
story-kept = Its saved tensors are kept for another backward.
story-accumulate = The `AccumulateGrad` of { $name } received { $value }.
story-accumulate-hooked = A hook changed it to `{ $value }`.
story-vanished =
    Its largest absolute value { $size } is less than 1/1000 of the { $largest } that reached { $name }. The gradients of all later leaves in this backward are that small, too.
story-accumulate-none = The `AccumulateGrad` of { $name } received no gradient, so it added nothing.
story-accumulate-frozen = It added nothing, because { $name } no longer requires grad.
story-backward =
    { $count ->
        [one] Backward is complete: one Node ran.
       *[other] Backward is complete: { NUMBER($count, useGrouping: 0) } Nodes ran.
    }
story-backward-leaves =
    { $count ->
        [one] Backward is complete: one Node ran, and gradients reached { $names }.
       *[other] Backward is complete: { NUMBER($count, useGrouping: 0) } Nodes ran, and gradients reached { $names }.
    }
story-grad-new =
    { $name } was created{ $value ->
        [none] { $shape ->
            [none] {" "}in storage `{ $storage }`.
            [scalar] {" "}in storage `{ $storage }`.
           *[other] , of shape { $shape }, in storage `{ $storage }`.
        }
       *[other] : `{ $value }` in storage `{ $storage }`.
    }
story-grad-now =
    { $value ->
        [none] { $name } now has new values.
       *[other] { $from ->
            [none] { $name } is now `{ $value }`.
           *[other] { $name } went from `{ $from }` to `{ $value }`.
        }
    }
story-grad-added =
    { $name } { $added ->
        [none] { $value ->
            [none] has new values
           *[other] is now `{ $value }`
        }
       *[other] is now `{ $from }` + `{ $added }` = `{ $value }`
    }: backward added the new gradient to what it held.
story-grad-zeroed =
    { $name } was set to zero{ $from ->
        [none] .
       *[other] ; it held `{ $from }`.
    }
story-grad-other =
    { $value ->
        [none] { $name } is now another tensor, in storage `{ $storage }`.
       *[other] { $name } is now another tensor: `{ $value }` in storage `{ $storage }`.
    }
story-grad-none = { $name } was set to `None`.
story-more-grads =
    { $count ->
        [one] One more gradient changed.
       *[other] { NUMBER($count, useGrouping: 0) } more gradients changed.
    }

## Users of the selected storage. `count`: the number of users, or of names, in the sentence

held-by =
    { $count ->
        [0] `{ $storage }` has { $size }. No tensor uses it.
       *[other] `{ $storage }` has { $size }. It is used by { $names }.
    }
held-shared =
    { $count ->
        [0] Nothing else uses `{ $storage }`.
       *[other] It shares `{ $storage }` with { $names }.
    }
held-same = { $names } are one tensor.
held-array = the NumPy array `{ $name }`
held-unnamed =
    { $count ->
        [one] a tensor without a name
       *[other] { $count } tensors without a name
    }
held-over = These bytes belong to `{ $storage }`, too.
held-saved =
    { $count ->
        [0] { $nodes } saved it for backward.
       *[other] { $nodes } saved it for backward, in the graph of { $names }.
    }
