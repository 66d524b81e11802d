### What a step did, in sentences.

## What just happened. Backticks mark code; `S4` is a storage, `v1` a version, `[1.]` a gradient.

story-title = Step { NUMBER($step, useGrouping: 0) }: what just happened
story-nothing = Nothing that concerns tensors happened.

## Phrases that stand in the sentences below

phrase-code = `{ $text }`
phrase-once = the tensor that once was `{ $name }`
phrase-unnamed = a tensor without a name
phrase-more = { $count } more
phrase-node =
    `{ $node }`{ $line ->
        [0] {""}
       *[other] {" "}of line { NUMBER($line, useGrouping: 0) }
    }
phrase-saved =
    `{ $slot }`{ $version ->
        [-1] {""}
       *[other] {" "}at `v{ NUMBER($version, useGrouping: 0) }`
    }
phrase-gradient = the gradient `{ $value }`
phrase-gradient-shape =
    a gradient { $shape ->
        [scalar] that is one number
       *[other] of shape { $shape }
    }
phrase-gradient-unknown = a gradient whose values are not known
phrase-gradients = the gradients { $values }, which autograd added up
phrase-gradients-count =
    { $count ->
        [one] one gradient
       *[other] { $count } gradients, which autograd added up
    }
phrase-grad-of = The `grad` of { $whose }

## The program: calls, variables, output, exceptions

story-raised = Line { NUMBER($line, useGrouping: 0) } raised `{ $type }`: { $message }
story-raised-bare = Line { NUMBER($line, useGrouping: 0) } raised `{ $type }`.
story-raised-through = `{ $type }` came out of the call on line { NUMBER($line, useGrouping: 0) }.
story-raised-within = `{ $function }` raised `{ $type }` on line { NUMBER($line, useGrouping: 0) }, which ended this statement.
story-way-there = The calls that led there: { $calls }.
phrase-call = line { NUMBER($line, useGrouping: 0) } called `{ $name }`
phrase-more-calls = { $count ->
        [one] one more call
       *[other] { NUMBER($count, useGrouping: 0) } more calls
    }
story-called =
    { $again ->
        [yes] { $line ->
            [0] Backward asked `{ $name }` to go on.
           *[other] Line { NUMBER($line, useGrouping: 0) } asked `{ $name }` to go on.
        }
       *[no] { $line ->
            [0] Backward called `{ $name }`.
           *[other] Line { NUMBER($line, useGrouping: 0) } called `{ $name }`.
        }
    }
story-returned =
    { $line ->
        [0] `{ $name }` { $again ->
            [yes] hands back
           *[no] is done
        }, and backward goes on.
       *[other] `{ $name }` { $again ->
            [yes] hands back
           *[no] is done
        }, and line { NUMBER($line, useGrouping: 0) } goes on.
    }
story-holds-value = `{ $name }` is now `{ $text }`.
story-holds-collection =
    `{ $name }` now holds a `{ $type }`{ $count ->
        [0] , which is empty.
        [one] {" "}with one item.
       *[other] {" "}with { NUMBER($count, useGrouping: 0) } items.
    }
story-holds-array = `{ $name }` now holds a NumPy array: `{ $text }`.
story-holds-function = The function `{ $name }` is defined; its lines run when it is called.
story-holds-class = The class `{ $name }` is defined.
story-holds-module = The module `{ $text }` is called `{ $name }` from here on.
story-imported = `{ $name }` is imported.
story-holds-object = `{ $name }` now holds an object of the class `{ $type }`.
story-more-variables =
    { $count ->
        [one] One more variable got a value.
       *[other] { $count } more variables got values.
    }
story-printed =
    { $count ->
        [one] It printed `{ $text }`.
       *[other] It printed { NUMBER($count, useGrouping: 0) } lines; the first is `{ $text }`.
    }
story-warned = It gave a warning, a `{ $category }`: { $text }

## Tensors: new ones, what they share, what they are called

story-new =
    `{ $name }` is a new { $shape ->
        [scalar] { $look ->
            [leaf] scalar leaf that requires grad,
           *[other] scalar tensor
        }
        [none] { $look ->
            [leaf] leaf that requires grad, whose shape torch does not tell,
           *[other] tensor, whose shape torch does not tell,
        }
       *[other] { $look ->
            [leaf] leaf of shape { $shape } that requires grad,
           *[other] tensor of shape { $shape }
        }
    }{ $device ->
        [cpu] {""}
       *[other] {" "}on `{ $device }`
    } with a storage of its own, `{ $storage }`.
story-new-bare =
    `{ $name }` is a new tensor { $shape ->
        [none] of which torch tells no shape and shows no storage.
        [scalar] with a single number; torch shows no storage for it.
       *[other] of shape { $shape }; torch shows no storage for it.
    }
story-same-bytes = `{ $storage }` and `{ $other }` are two storages over the same bytes of memory: what one writes, the other reads.
story-renamed = `{ $name }` is another name for `{ $other }`: the same tensor, not a copy.
story-named =
    `{ $name }` now names a tensor that { $line ->
        [0] was there before.
       *[other] line { NUMBER($line, useGrouping: 0) } made.
    }
story-shares =
    `{ $name }` is a new { $shape ->
        [none] tensor
        [scalar] scalar tensor
       *[other] tensor of shape { $shape }
    } but no new memory: { $view ->
        [yes] it is a view of { $base } and looks at `{ $storage }`, as `{ $other }` does.
       *[no] it looks at `{ $storage }`, as `{ $other }` does.
    }
story-counter-shared = `{ $name }` shares the version counter of `{ $other }`: a write through either counts for both.
story-counter-own = Yet `{ $name }` has a version counter of its own: a write through it will not move the one of `{ $other }`.
story-counter-none = `{ $name }` has no version counter, as it was made in inference mode.
story-counter-unknown = Whether `{ $name }` shares a version counter is not known.
story-more-tensors =
    { $count ->
        [one] One more tensor got a name.
       *[other] { $count } more tensors got names.
    }
story-numpy = The NumPy array `{ $name }` and the tensors on `{ $storage }` are one memory: a write through either is seen through both, and NumPy's moves no version counter.
story-unbound = No name leads any more to the tensor that was `{ $name }`, but it is still there.
story-freed =
    { $count ->
        [one] Storage { $storages } was freed: nothing looks at it any more.
       *[other] The storages { $storages } were freed: nothing looks at them any more.
    }
story-nodes-freed =
    { $count ->
        [one] One Node of the graph was freed: nothing leads to it any more.
       *[other] { NUMBER($count, useGrouping: 0) } Nodes of the graph were freed: nothing leads to them any more.
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
story-wrote-same = Storage `{ $storage }` was written, with the values that were there before.
story-wrote-unnamed =
    { $count ->
        [one] A storage that no name reaches was written.
       *[other] { NUMBER($count, useGrouping: 0) } storages that no name reaches were written.
    }
story-more-writes =
    { $count ->
        [one] One more storage was written.
       *[other] { NUMBER($count, useGrouping: 0) } more storages were written.
    }
story-wrote-numpy = The bytes of storage `{ $storage }` changed behind torch's back: the NumPy array `{ $name }` is the same memory.
story-wrote-behind = The bytes of storage `{ $storage }` changed behind torch's back.
story-wrote-over = Storage `{ $storage }` lies over the same bytes as `{ $other }`, so it changed, too.
story-wrote-thread = The bytes of storage `{ $storage }` changed while another thread ran.
story-wrote-unseen = The bytes of storage `{ $storage }` changed; through which tensor was not seen.
story-resized = Storage `{ $storage }` now has { $to }; it had { $from }.
story-emptied = Storage `{ $storage }` gave its memory back; it had { $from }.
story-put-elsewhere = torch put the bytes of storage `{ $storage }` elsewhere in memory.
story-other-storage =
    { $name } now looks at storage `{ $storage }` and no longer at `{ $old }`{ $count ->
        [0] .
        [one] ; { $names } still looks at that.
       *[other] ; { $names } still look at that.
    }
story-requires-grad = { $name } requires grad from now on: what is computed from it will be recorded.
story-requires-no-grad = { $name } does not require grad any more.
story-reads-too =
    { $count ->
        [one] { $names } looks at `{ $storage }` too, so it reads the new values as well.
       *[other] { $names } look at `{ $storage }` too, so they read the new values as well.
    }
story-reads-too-value = `{ $name }` looks at `{ $storage }` too, so it now reads `{ $value }`.
story-reads-elsewhere = `{ $name }` looks at other elements of `{ $storage }`, so what it reads is what it was.
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
        [unseen] torch did not see this write.
        [over] the write went through storage `{ $over }`, whose tensors have counters of their own.
        [none] this write moves no counter.
       *[other] the write went through { $through }, which has a counter of its own.
    }

## What autograd recorded and saved

story-recorded =
    { $count ->
        [one] Autograd recorded { $nodes }, which saved nothing.
       *[other] Autograd recorded { $nodes }, and none of these saved anything.
    }
story-recorded-saved =
    Autograd recorded `{ $node }`{ $module ->
        [none] {""}
       *[other] {" "}in the module `{ $module }`
    }, which saved { $saved } for backward.
story-more-nodes =
    { $count ->
        [one] One more Node was recorded.
       *[other] { NUMBER($count, useGrouping: 0) } more Nodes were recorded.
    }
story-stale =
    What { $node } saved as { $saved } is now stale: { $noticed ->
        [yes] its version counter has moved on since, so torch will refuse to use it.
       *[no] its bytes changed and its version counter did not, so torch will not notice.
    }
story-recording-again = Grad mode is on again: autograd records.

## Operators

story-operator = The operator `{ $operator }` ran.
story-operator-of = The operator `{ $operator }` ran, as a part of { $node }.
story-made =
    It made a { $shape ->
        [none] tensor
        [scalar] scalar tensor
       *[other] tensor of shape { $shape }
    } without a name in a new storage, `{ $storage }`{ $value ->
        [none] .
       *[other] : `{ $value }`.
    }
story-made-on =
    It made a tensor without a name{ $shape ->
        [none] {""}
        [scalar] , a scalar
       *[other] , of shape { $shape }
    }, that looks at `{ $storage }`{ $other ->
        [none] .
       *[other] , as `{ $other }` does.
    }
story-made-bare = It made a tensor without a name, of which torch shows no storage.

## Backward

story-node = { $node } received { $value }.
story-sent =
    It sent { $value } on to { $to }{ $times ->
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
        [one] It sent one more gradient on.
       *[other] It sent { $count } more gradients on.
    }
story-sent-nothing = It sent nothing on.
story-sent-broken = It sent nothing on: here the backward broke off.
story-on-the-way = On the way it called { $names }.
story-released = What it had saved is let go: { $saved }.
story-kept = Its saved tensors are kept for another backward.
story-accumulate = The `AccumulateGrad` of { $name } received { $value }.
story-accumulate-none = The `AccumulateGrad` of { $name } received no gradient, so nothing was added.
story-accumulate-frozen = Nothing was added, because { $name } no longer requires grad.
story-backward =
    { $count ->
        [one] The backward is over: one Node ran.
       *[other] The backward is over: { NUMBER($count, useGrouping: 0) } Nodes ran.
    }
story-backward-leaves =
    { $count ->
        [one] The backward is over: one Node ran, and gradients arrived at { $names }.
       *[other] The backward is over: { NUMBER($count, useGrouping: 0) } Nodes ran, and gradients arrived at { $names }.
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
        [none] { $name } holds new values now.
       *[other] { $from ->
            [none] { $name } is now `{ $value }`.
           *[other] { $name } went from `{ $from }` to `{ $value }`.
        }
    }
story-grad-other =
    { $value ->
        [none] { $name } is another tensor now, in storage `{ $storage }`.
       *[other] { $name } is another tensor now: `{ $value }` in storage `{ $storage }`.
    }
story-grad-none = { $name } is `None` now.
story-more-grads =
    { $count ->
        [one] One more gradient changed.
       *[other] { NUMBER($count, useGrouping: 0) } more gradients changed.
    }
