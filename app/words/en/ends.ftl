### How a run ended, one sentence per kind of end: `end-<kind>`. A line of 0 is not known.

end-finished = The snippet ran to its end.
end-raised =
    { $line ->
        [0] The snippet raised
       *[other] Line { NUMBER($line, useGrouping: 0) } raised
    } { $type }: { $message }
end-exited = The snippet ended itself, with exit code { $code }.
end-stopped =
    { $limit ->
        [statements] The run was stopped after { $reached ->
            [one] one statement
           *[other] { $reached } statements
        }, the most that is recorded; everything up to there can be watched.
       *[steps] The run was stopped after { $reached ->
            [one] one step
           *[other] { $reached } steps
        }, the most that is recorded; everything up to there can be watched.
    }
end-timed_out =
    { $clock ->
        [cpu] The run was stopped after { $seconds ->
            [one] one second
           *[other] { $seconds } seconds
        } of processor time, the most that a run may use; everything up to there can be watched.
       *[wall] The run was stopped after { $seconds ->
            [one] one second
           *[other] { $seconds } seconds
        } by the clock, the longest that a run may take; everything up to there can be watched.
    }
end-out_of_memory =
    { $line ->
        [0] The run
       *[other] Line { NUMBER($line, useGrouping: 0) }
    } asked for more memory than a run may have, { $size }.
end-output_too_large = The snippet printed more than { $size } and was stopped; everything up to there can be watched.
end-trace_too_large = The recording grew beyond { $size }, or beyond what can be drawn, and was stopped; everything up to there can be watched.
end-cancelled = The run was stopped on request; everything up to there can be watched.
end-crashed =
    { $name ->
        [SIGSYS] The run asked the system for something that no snippet needs, and was ended for it
        [SIGSEGV] The run crashed with SIGSEGV: a wrong memory address
        [SIGABRT] The run crashed with SIGABRT: it called abort, as a library does that cannot go on
        [SIGKILL] The run was killed (SIGKILL) within all its limits: the machine was short of memory, or somebody killed it
       *[other] The run crashed with { $name }
    }; everything up to there can be watched.
end-interfered = The snippet disturbed its own recording; what came after that is not shown, because it cannot be trusted.
