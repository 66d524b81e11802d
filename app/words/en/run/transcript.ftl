### Messages that only the plain text of a run needs. All other sentences are those of the page.

transcript-line = line { NUMBER($line, useGrouping: 0) }: { $text }
transcript-line-unknown = line ?
transcript-cut = (the run ended here)
transcript-shortened = The text is cut here: this part has more than { NUMBER($most) } characters.
transcript-shared = Shared as: { $title }
transcript-more-calls =
    { $count ->
        [one] One more call of `{ $name }` by line { NUMBER($line, useGrouping: 0) } is left out.
       *[other] { NUMBER($count, useGrouping: 0) } more calls of `{ $name }` by line { NUMBER($line, useGrouping: 0) } are left out.
    }
transcript-more-lines =
    { $count ->
        [one] One more line like these is left out.
       *[other] { NUMBER($count, useGrouping: 0) } more lines like these are left out.
    }
transcript-printed = printed: { $text }
transcript-digits = `{ $name }` is now an integer of about { NUMBER($count, useGrouping: 0) } digits.
transcript-finding =
    { $severity ->
        [error] error
        [warning] warning
       *[hint] hint
    }: { $line ->
        [0] {""}
       *[other] line { NUMBER($line, useGrouping: 0) }:{" "}
    }{ $title }
transcript-fix = fix: { $title }
transcript-leaf = the `AccumulateGrad` of { $name }
transcript-looks-at =
    `{ $name }` is a new { $shape ->
        [none] tensor
        [scalar] scalar tensor
       *[other] tensor of shape { $shape }
    } that uses storage `{ $storage }`, which already existed.

## Lists: `a`, `b` and `c`

phrase-row-next = { $before }, { $next }
phrase-row-last = { $before } and { $next }
phrase-sentences = { $before } { $next }
