### How a run ended, one sentence per kind of end: `end-<kind>`. Line 0 means: not known.

end-finished = The snippet ran to its end.
end-raised =
    { $line ->
        [0] The snippet raised
       *[other] Line { NUMBER($line, useGrouping: 0) } raised
    } { $type }: { $message }
end-exited = The snippet exited with exit code { $code }.
end-stopped =
    { $where ->
        [process] The recording ended
       *[sandbox] The run was stopped
    } after { $limit ->
        [statements] { $reached ->
            [one] one statement
           *[other] { $reached } statements
        }
       *[steps] { $reached ->
            [one] one step
           *[other] { $reached } steps
        }
    }, the limit of a recording{ $where ->
        [process] , but the program continued.
       *[sandbox] .
    } You can view everything up to that point.
end-timed_out =
    { $clock ->
        [cpu] The run was stopped after { $seconds ->
            [one] one second
           *[other] { $seconds } seconds
        } of processor time, the limit of a run.
       *[wall] The run was stopped after { $seconds ->
            [one] one second
           *[other] { $seconds } seconds
        }, the time limit of a run.
    } You can view everything up to that point.
end-out_of_memory =
    { $line ->
        [0] The run
       *[other] Line { NUMBER($line, useGrouping: 0) }
    } needed more memory than a run may use ({ $size }).
end-output_too_large = The run was stopped because it printed more than { $size }. You can view everything up to that point.
end-trace_too_large =
    { $where ->
        [process] The recording ended because it became larger than { $size }, but the program continued.
       *[sandbox] The run was stopped because its recording became larger than { $size }, or too large to draw.
    } You can view everything up to that point.
end-cancelled = The run was stopped on request. You can view everything up to that point.
end-worker_stopped = The worker stopped: the machine that ran this code became unreachable. You can view everything up to that point; run the code again for the rest.
end-crashed =
    { $name ->
        [SIGSYS] The run was killed because it made a system call that is not allowed (SIGSYS).
        [SIGSEGV] The run crashed with SIGSEGV: an invalid memory access.
        [SIGABRT] The run crashed with SIGABRT: it called abort, usually because a library could not continue.
        [SIGKILL] The run was killed (SIGKILL) although it reached no limit: the machine was short of memory, or someone killed it.
       *[other] The run crashed with { $name }.
    } You can view everything up to that point.
end-interfered = The snippet interfered with its own recording. Later steps cannot be trusted and are not shown.
