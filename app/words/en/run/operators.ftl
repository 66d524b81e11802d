# Findings about custom Functions, and about what operators, autograd and torch.func refuse.

finding-custom_function-title = A custom Function that autograd cannot use this way
finding-custom_function =
    { $rule ->
        [constructed] `{ $text }` on line { NUMBER($cause_line, useGrouping: 0) } creates an object of the class `{ $class }` and computes nothing. `{ $class }.apply(…)` computes the result and records the graph.
        [object] Line { NUMBER($cause_line, useGrouping: 0) } creates an object of the class `{ $class }`, and line { NUMBER($line, useGrouping: 0) } calls it as `{ $text }`. Such an object cannot be called. Use `{ $class }.apply`, which computes the result and records the graph.
        [missing] The class `{ $class }` has no method `{ $text }`, which line { NUMBER($line, useGrouping: 0) } needs.{ $name ->
            [none] {""}
           *[other] {" "}Line { NUMBER($cause_line, useGrouping: 0) } defines `{ $name }` instead.
        }
        [direct] `{ $text }` on line { NUMBER($line, useGrouping: 0) } calls `forward` itself, without `ctx`. `{ $class }.apply` passes `ctx` and records the graph.
        [no_context] `apply` passes `ctx` before the arguments of line { NUMBER($line, useGrouping: 0) }. `forward` on line { NUMBER($cause_line, useGrouping: 0) } takes only `{ $names }`, so it needs `ctx` as its first parameter.
        [both_contexts] `{ $class }` has a `setup_context`, so `apply` does not pass `ctx` to `forward`. `forward` on line { NUMBER($cause_line, useGrouping: 0) } takes `{ $names }`.
        [arguments] `{ $text }` on line { NUMBER($line, useGrouping: 0) } is given { $given ->
            [one] one argument
           *[other] { NUMBER($given, useGrouping: 0) } arguments
        }, but `forward` on line { NUMBER($cause_line, useGrouping: 0) } takes `{ $names }`.
        [saved] `save_for_backward` on line { NUMBER($cause_line, useGrouping: 0) } takes only tensors, but `{ $text }` has type `{ $name }`. Keep it as an attribute of `ctx` instead.
        [setup] Line { NUMBER($line, useGrouping: 0) } runs `{ $class }` under `torch.func`. This requires a `setup_context(ctx, inputs, output)`, which saves what `backward` needs, and a `forward` without `ctx`. `{ $class }` has no `setup_context`; its `forward` is on line { NUMBER($cause_line, useGrouping: 0) }.
        [spelled] Line { NUMBER($line, useGrouping: 0) } reads `{ $text }`, which is never set. The attribute is called `{ $name }`.
        [unset] Line { NUMBER($line, useGrouping: 0) } reads `{ $text }`, but no line of `{ $class }` sets it.{ $name ->
            [none] {""}
           *[other] {" "}`forward` on line { NUMBER($cause_line, useGrouping: 0) } gets `{ $name }` and can store it on `ctx`.
        }
        [unpacked] `save_for_backward` on line { NUMBER($cause_line, useGrouping: 0) } saves { $given ->
            [one] one tensor
           *[other] { NUMBER($given, useGrouping: 0) } tensors
        } (`{ $names }`), but line { NUMBER($line, useGrouping: 0) } unpacks `saved_tensors` into { $taken ->
            [one] one variable
           *[other] { NUMBER($taken, useGrouping: 0) } variables
        } (`{ $text }`).
        [tuple] `{ $name }.saved_tensors` is a tuple, even if only one tensor was saved, so `{ $text }` on line { NUMBER($line, useGrouping: 0) } is not a tensor. `x, = { $name }.saved_tensors` unpacks it.
        [needs] `needs_input_grad` has one entry for each argument of `forward` except `ctx`: `{ $names }` (line { NUMBER($cause_line, useGrouping: 0) }). Line { NUMBER($line, useGrouping: 0) } reads `{ $text }`, but indices start at 0.
        [gradients] `forward` of `{ $class }` returned { $given ->
            [one] one tensor, so autograd calls `backward` with `ctx` and one gradient
           *[other] { NUMBER($given, useGrouping: 0) } tensors, so autograd calls `backward` with `ctx` and { NUMBER($given, useGrouping: 0) } gradients
        }. `backward` on line { NUMBER($cause_line, useGrouping: 0) } takes `{ $text }`.
        [number] `backward` of `{ $class }` returns `{ $text }` on line { NUMBER($cause_line, useGrouping: 0) }. A gradient must be a tensor or None, so line { NUMBER($line, useGrouping: 0) } raises an error.
       *[once] `backward` of `{ $class }` is marked `@once_differentiable` (line { NUMBER($cause_line, useGrouping: 0) }), so its gradient cannot be differentiated again, as line { NUMBER($line, useGrouping: 0) } tries to do. Without the decorator, autograd records the operators of `backward`.
    }{ error-caught }

fix-call_apply = Use `{ $class }.apply`
fix-spell_method = Rename it `{ $text }`
fix-spell_attribute = Write `{ $name }`
fix-take_context = Take `ctx` as the first parameter
fix-forward_without_context = Remove the parameter `ctx`
fix-keep_on_ctx = Keep it as an attribute of `ctx`
fix-save_also = Save the others as well
fix-unpack_saved = Unpack the tuple
fix-index_saved = Take its first tensor
fix-drop_once = Remove `@once_differentiable`
