### Messages of `stepgrad check`, except the findings.

report-summary =
    { $files ->
        [one] 1 file
       *[other] { NUMBER($files, useGrouping: 0) } files
    }, { $findings ->
        [one] 1 finding
       *[other] { NUMBER($findings, useGrouping: 0) } findings
    }, { $broken ->
        [0] every run finished
        [one] 1 run did not finish
       *[other] { NUMBER($broken, useGrouping: 0) } runs did not finish
    }
