# Questions that a teacher asks a room.

poll-title = What will happen?
poll-title-search = Which line made it stale?
poll-practice = Practice, no marks. The recording is on this device, so the answer could be looked up.
poll-practice-teacher = Practice, no marks: the recording is on every phone, so an answer can be looked up. The next step is hidden until you reveal the answer.
poll-count = { $count ->
    [one] { $count } answer
   *[other] { $count } answers
}
poll-hidden = The votes are shown when the answer is revealed.
poll-others = { $count ->
    [one] { $count } other answer
   *[other] { $count } other answers
}
poll-mine = your answer
poll-right = right
poll-truth = The correct answer: { $truth }.
poll-given = Your answer: { $answer }. You can change it until the answer is revealed.
poll-not-given = You have not answered yet.
poll-closed = No more answers are taken.
poll-reveal = Reveal and step
poll-show = Show votes
poll-hide = Hide votes
poll-hands = Count hands
poll-hands-other = Another answer
poll-hands-number = Hands
poll-hands-count = Count them
poll-drop = Remove it
poll-ask = Ask the class
poll-ask-none = There is nothing to ask about the next step.
poll-live = Show the votes as they come in
poll-button = Ask

key-ask = room: ask the class about the next step
key-reveal = room: reveal the answer and step; a step forward does the same
key-votes = room: show the votes as they come in, or hide them
key-hands = room: count a show of hands
key-drop = room: remove the question
answer-hint-choice = Choose one.
ask-stale-by = Did line { NUMBER($line, useGrouping: 0) } make `{ $saved }` of `{ $node }` stale, or did an earlier line?
answer-stale-by = Line { NUMBER($line, useGrouping: 0) }
answer-stale-before = An earlier line
poll-search = Search backwards: which line made `{ $saved }` of `{ $node }` stale?
poll-search-on = Continue the search: line { NUMBER($line, useGrouping: 0) }, the write before
poll-version-moved = `{ $node }` saved `{ $saved }` at version { $version }. Line { NUMBER($line, useGrouping: 0) } made it version { $now }.
poll-version-still = `{ $node }` saved `{ $saved }` at version { $version }. Line { NUMBER($line, useGrouping: 0) } wrote, and the counter stayed at version { $now }.
poll-version-unknown = `{ $node }` saved `{ $saved }`. Line { NUMBER($line, useGrouping: 0) } wrote, but the version after it is not known.
poll-below = The question is below.
