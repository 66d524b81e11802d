### Messages of the page.

## Header

lesson-own = Your own code
language = Language
theme = Light or dark
share = Share
share-way-link = Link
share-way-class = Class
share-way-embed = Embed
share-way-file = File
share-copied = Link copied.
share-made = Select the link and copy it.
share-copy = Copy link
share-at-step = Open at step { $step }
share-as-seen = As I see it now: zoom, groups, pinned and hidden names, “Why?”, language
share-title = Title
share-author = Author
share-heading-hint = Title and author are optional and public. They are shown above the snippet as your words.
share-notes = { $count ->
    [one] Publish my note about a step, too: everyone with the link can read it
   *[other] Publish my notes about { $count } steps, too: everyone with the link can read them
}
shared-note = Note by the author of this link
share-heading-keep = Save
share-heading-kept = Saved.
share-qr = QR code
share-qr-of = QR code of { $link }
share-no-network = A phone cannot open this link: the address works only on this machine, and the machine is not connected to a network.
share-listen-nearby = A phone cannot open this link: the address works only on this machine. Start the server so that the network can reach it, and open the page at the address below:
share-open-nearby = A phone cannot open this link: the address works only on this machine. Open the page at the following address, and share from there:
share-embed = Put this HTML into a page to show the recording there.
share-embed-code = HTML of the frame
share-embed-off = This server does not allow other pages to show recordings.
share-embed-operator = For the operator
share-embed-setting = To allow a page, start the server with its origin:
share-embed-height = The frame sends the page a message of the type “stepgrad” with its preferred height in px.
share-file = Download as one file
share-file-hint = The file replays this recording in any browser, without a network or a server.
embed-open = Open in Stepgrad
embed-player = Recording
embed-picture = Picture
embed-failed = The recording could not be shown.
share-code = A link that contains the code itself
share-code-label = Link with the code
share-code-hint = The link contains the compressed code. No server stores it, so it cannot be deleted. Opening the link shows the code and does not run it.
share-code-length = { $length } characters long.
share-code-long = This code is too long for such a link: it would have { $length } characters, and mail and chat programs cut links of more than { $most }.
code-link-opened = This code came from a link and has not been run. Read it before you press Run.
code-link-unsupported = This browser is too old for links that contain code: it cannot compress or decompress it.
code-link-broken = The code in this link cannot be decompressed: the link is incomplete or was changed.
code-link-large = The code in this link is longer than this server accepts, so it was not decompressed.
code-link-not-text = The code in this link is not valid UTF-8.
code-link-nul = The code in this link contains a NUL character, which is not allowed in Python code.
code-link-empty = This link contains no code.
share-own = { $count ->
    [one] { $count } link made in this browser
   *[other] { $count } links made in this browser
}
share-delete-short = Delete
share-delete-this = Delete { $name }
share-delete = Delete this link
share-deleted = The link is deleted. The code is still here.
report = Report
report-title = Report this link
report-hint = The operator of this server sees the report with its reason and date. The server stores nothing about you except a hash, so that your reports count once.
report-reason = Reason (optional, one line)
report-send = Send the report
report-sent = The operator has your report.
shared-words = Title and author as the sharer wrote them
shared-author = by { $author }
shared-parent = changed from another link
shared-parent-titled = changed from “{ $title }”
link = Link
help = Help
close = Close
skip = Skip to the code
display = Display
display-size = Text size
display-smaller = Smaller text
display-larger = Larger text
display-contrast = High contrast
display-values = Values next to the code
display-text = Text instead of pictures
display-predict = Predict before each step
display-character-keys = Single-key shortcuts
presenting = Presenter mode
leave-presenting = Leave presenter mode (p)
screen-blank = The screen is blank. Any key brings the page back.
note-title = Note on step { $step }
note-hint = The note is stored in this browser. It is sent only if you publish your notes with a link.
note-open = Note on this step
note-open-noted = This step has a note
note-close = Close the note (o)
note-here = with a note
panes = Panes
split-columns = Width of the code and the step
split-pictures = Width of the graph
split-stacked = Height of the graph
split-code = Height of the code
split-lower = Height of the pictures
split-sides = Width of run A
split-upper = Height of the code and the story
split-listing = Width of the code
split-compared = Width of the graph
maximise-pane = Show only this pane
restore-panes = Show the other panes again
pane-alone = Only this pane is shown: { $pane }. Press m or Escape to show the others again.
panes-back = All panes are shown.
split-hint = Drag, or press the arrow keys; a double click or Enter restores the default size
tab-code = Code
tab-story = Step
tab-graph = Graph
tab-memory = Memory
tab-variables = Variables
tab-output = Output

## Code

code = Code
run = Run
stop = Stop
examples = Examples
live = Live
live-hint = Run the code as you type, after each pause
edit = Edit
recording = Show the last recording (F2)
recording-old = This is the code of the recording. Your changes are in the editor (F2).
editor-keys = Tab indents. Esc, then Tab, leaves the editor.
nothing-ran = Nothing ran: the snippet has no statement, only comments or blank lines.
line-never = Line { NUMBER($line, useGrouping: 0) } never ran in this recording.
line-once = Line { NUMBER($line, useGrouping: 0) } has no other step.
line-wrapped = Line { NUMBER($line, useGrouping: 0) } has no later step. Shown: its first one.
line-wrapped-back = Line { NUMBER($line, useGrouping: 0) } has no earlier step. Shown: its last one.
breakpoint = breakpoint
breakpoint-set = Breakpoint on line { NUMBER($line, useGrouping: 0) }. `c` runs to it.
breakpoint-removed = Breakpoint on line { NUMBER($line, useGrouping: 0) } removed.
breakpoint-none = No breakpoints yet: click next to a line number, or press `x`.
breakpoint-last = No breakpoint after this step.
breakpoint-first = No breakpoint before this step.
breakpoint-next = Next breakpoint (c)
breakpoint-previous = Previous breakpoint (Shift+c)
value-unbound = has no value at this step
value-inactive = belongs to a call that is not active at this step
badge-ran = just ran
badge-running = running
badge-raised = raised
badge-next = next
old-run = The pictures show the last run. Press Run to run the new code.
imports = Snippets can import { $packages }.
gpu-pool = Snippets that mention cuda run on this machine's GPU and can access its driver: for trusted classes only.
standard-library = the standard library

## A run in progress

run-sent = Running …
run-waiting =
    { $before ->
        [0] Waiting: you are next
       *[other] Waiting: { $before } ahead of you
    }
run-line =
    { $line ->
        [0] Running
       *[other] Running: line { NUMBER($line, useGrouping: 0) }
    }
run-operators =
    { $count ->
        [one] 1 operator so far
       *[other] { $count } operators so far
    }
run-reading = Run received. Reading it …
run-reading-part = { $percent } %
run-drawing = Run received. Laying out the pictures …
run-loading = Run received. Loading the graph layout …
run-stopping = Stopping …
stopped-waiting = The run was stopped before it started.
spoken-waiting = The run is waiting in the queue. Escape stops it.
spoken-running = The snippet is running. Escape stops it.
retry = Try again
retry-in = Try again in { $seconds } s
retry-ready = You can try again now.

## The CPU instead of a GPU

stand-in = CPU as GPU
stand-in-hint = Use the CPU instead of a GPU: device="cuda" works, tensors report that device, and all values are computed on the CPU.
stood-in-short = the CPU replaces cuda:0
stood-in = The CPU replaces device cuda:0: tensors report the device they would be on. All values are computed by the CPU's operators; a GPU may use other operators and generates other random numbers.

## Start

start-title = See what PyTorch saves, shares and differentiates
demo = The first example, step by step
start-words = Paste a snippet or choose a lesson, then press Run. Every step shows the autograd graph, which tensors share memory, which version counters changed, and how gradients flow back.

## Errors

error-unreachable = { error-unreachable.message }: { error-unreachable.hint }
    .message = The server cannot be reached
    .hint = check the connection and try again.
error-broken = { error-broken.message }: { error-broken.hint }
    .message = The connection broke before the run ended
    .hint = try again.
error-unreadable = { error-unreadable.message }: { error-unreadable.hint }
    .message = The server's answer cannot be read
    .hint = try again in a moment.
error-sandbox_unavailable = { error-sandbox_unavailable.message }: { error-sandbox_unavailable.hint }
    .message = The server cannot run snippets right now
    .hint = try again in a moment.
error-no_worker = { error-no_worker.message }: { error-no_worker.hint }
    .message = No machine is available to run snippets right now
    .hint = try again in a moment. Existing links can still be opened.
error-workers_unreachable = { error-workers_unreachable.message }: { error-workers_unreachable.hint }
    .message = The machines that run snippets do not answer
    .hint = try again in a moment. Existing links can still be opened.
error-run_lost = { error-run_lost.message }: { error-run_lost.hint }
    .message = This run was killed or lost
    .hint = run it again.
error-old_bundle = { error-old_bundle.message }: { error-old_bundle.hint }
    .message = The bundle is older than the scripts and style sheets of the page
    .hint = run `make bundle`, then load the page again.
error-too_many_connections = The server has more visitors right now than it can serve.
error-busy = Too many snippets are waiting to run right now.
error-visitor_busy = { error-visitor_busy.message }: { error-visitor_busy.hint }
    .message = Two of your runs are already running or waiting
    .hint = wait, or stop one.
error-address_busy = Too many snippets from your network are waiting to run right now.
error-too_often = You sent too many requests in a short time.
error-page = { error-page.message }: { error-page.hint }
    .message = Something on this page failed
    .hint = reload it; your code is kept.
error-too_much_at_once = { error-too_much_at_once.message }: { error-too_much_at_once.hint }
    .message = The server is receiving more data than it can process right now
    .hint = try again in a moment.
error-operators_only = { error-operators_only.message }: { error-operators_only.hint }
    .message = Only the operators of this server can see this page
    .hint = their networks are listed in STEPGRAD_OPERATORS.
error-stopping = { error-stopping.message }: { error-stopping.hint }
    .message = This server is stopping or restarting
    .hint = try again in a moment.
error-too_slow = { error-too_slow.message }: { error-too_slow.hint }
    .message = Your snippet did not reach the server in time
    .hint = check the connection and try again.
error-too_large = { error-too_large.message }: { error-too_large.hint }
    .message = The snippet is larger than this server accepts
    .hint = shorten it.
error-empty_snippet = { error-empty_snippet.message }: { error-empty_snippet.hint }
    .message = The snippet is empty
    .hint = write at least one line of Python.
error-not_text = { error-not_text.message }: { error-not_text.hint }
    .message = The snippet contains something that is not text, such as an incomplete character
    .hint = paste it again as plain text.
error-unknown_snippet = { error-unknown_snippet.message }: { error-unknown_snippet.hint }
    .message = There is no snippet at this address, or it was removed
    .hint = check the link, or start over.
error-held_back = { error-held_back.message }: { error-held_back.hint }
    .message = The operator of this server has withheld this link for now
    .hint = try again in a few days, or ask the operator.
error-embed_gone = { error-embed_gone.message }: { error-embed_gone.hint }
    .message = The recording that was shown here was deleted
    .hint = the author of this page can remove the frame.
error-outdated_recording = { error-outdated_recording.message }: { error-outdated_recording.hint }
    .message = This recording was made by an older Stepgrad and cannot be shown here
    .hint = open it in Stepgrad, which records it again.
error-not_embedded = { error-not_embedded.message }: { error-not_embedded.hint }
    .message = There is no recording at this address that other pages could show
    .hint = check the link, or ask the operator of the server.
error-only_json = { error-only_json.message }: { error-only_json.hint }
    .message = oEmbed responses are available only as JSON
    .hint = use format=json.
error-no_public_address = { error-no_public_address.message }: { error-no_public_address.hint }
    .message = Phones cannot open an address that works only on this machine
    .hint = open this page at an address of your network, then share.
error-wrong_token = { error-wrong_token.message }: { error-wrong_token.hint }
    .message = This browser cannot delete this link
    .hint = use the browser that created the link, or ask the operator of the server.
error-quota_of_address = { error-quota_of_address.message }: { error-quota_of_address.hint }
    .message = Your network has reached this server's daily limit for sharing
    .hint = try again after midnight UTC. Runs still work, and no link is lost.
error-quota_of_visitor = { error-quota_of_visitor.message }: { error-quota_of_visitor.hint }
    .message = You have reached this server's daily limit for sharing
    .hint = try again after midnight UTC. Runs still work, and no link is lost.
error-quota_of_reports = { error-quota_of_reports.message }: { error-quota_of_reports.hint }
    .message = Your network has reached this server's daily limit for reports
    .hint = try again after midnight UTC, or write to the operator of the server.
error-unknown_recording = { error-unknown_recording.message }: { error-unknown_recording.hint }
    .message = This recording is not on the server, or it was removed
    .hint = open its link, or run its snippet again.
error-damaged_recording = { error-damaged_recording.message }: { error-damaged_recording.hint }
    .message = The recording of this link is damaged on the server
    .hint = reload the page. The snippet is intact and is recorded again.
error-unknown_lesson = { error-unknown_lesson.message }: { error-unknown_lesson.hint }
    .message = There is no lesson with this address
    .hint = look for it in the course.
error-unknown_comparison = { error-unknown_comparison.message }: { error-unknown_comparison.hint }
    .message = One of the two snippets to compare is not on this server
    .hint = check the link, or start over.
error-recording_gone = The server no longer has this recording: run the code again.
recording-gone = The server no longer has this recording, so the code runs again.
error-unknown_run = This run has already ended.
error-newer_recording = { error-newer_recording.message }: { error-newer_recording.hint }
    .message = This link was recorded by a newer Stepgrad than this server runs
    .hint = tell the operator of the server.
error-store_full = { error-store_full.message }: { error-store_full.hint }
    .message = The server has no space to store this
    .hint = tell the operator. Runs and saved links still work, and nothing is lost.
error-store_unavailable = { error-store_unavailable.message }: { error-store_unavailable.hint }
    .message = Links cannot be read or saved right now
    .hint = try again in a moment. Runs still work.
error-internal = { error-internal.message }: { error-internal.hint }
    .message = Something in Stepgrad itself failed
    .hint = try again; if it persists, tell the operator of the server.
error-other_build = { error-other_build.message }: { error-other_build.hint }
    .message = This page and the server have different versions
    .hint = reload the page; your code is kept.
error-not_found = { error-not_found.message }: { error-not_found.hint }
    .message = There is nothing at this address
    .hint = check it, or start over.
error-foreign_host = { error-foreign_host.message }: { error-foreign_host.hint }
    .message = This server does not accept this host name
    .hint = use a host name that it accepts.
error-cross_site = { error-cross_site.message }: { error-cross_site.hint }
    .message = The request comes from another site, which is not allowed
    .hint = use Stepgrad's own page.
error-invalid = { error-invalid.message }: { error-invalid.hint }
    .message = The server does not understand the request
    .hint = reload the page; your code is kept.
error-malformed = { error-malformed.message }: { error-malformed.hint }
    .message = The request did not arrive completely
    .hint = try again.
error-not_json = { error-not_json.message }: { error-not_json.hint }
    .message = The server does not understand what the page sent
    .hint = reload the page; your code is kept.
error-method_not_allowed = { error-method_not_allowed.message }: { error-method_not_allowed.hint }
    .message = This address does not accept this kind of request
    .hint = start over.
notice-packages = This run used { $packages }, which this server does not have. The recording is shown as it was made, but the snippet cannot run here again.
notice-recorded_again = The recording of this link can no longer be read, or its run ended by accident. So its snippet was recorded again.

## Pictures

graph = Autograd graph
graph-hint = arrows = next_functions
graph-overview = This graph is too large to draw whole. Each stack is one part of it; press its + to open it.
graph-undrawn = This graph has too many edges to draw. The code, the steps and the memory picture still show the run.
graph-too-many = Opening this would make the graph too large to draw. Open a smaller part, or fold another first.
graph-line = line { NUMBER($line, useGrouping: 0) }
graph-line-of = line { NUMBER($line, useGrouping: 0) } · grad_fn of { $name }
graph-freed = line { NUMBER($line, useGrouping: 0) } · freed
group-round = round { NUMBER($round, useGrouping: 0) }
group-rounds = rounds { NUMBER($first, useGrouping: 0) }–{ NUMBER($last, useGrouping: 0) }
group-part = { $line ->
        [0] Nodes { NUMBER($first, useGrouping: 0) }–{ NUMBER($last, useGrouping: 0) }
       *[other] line { NUMBER($line, useGrouping: 0) } · { NUMBER($first, useGrouping: 0) }–{ NUMBER($last, useGrouping: 0) }
    }
group-nodes = { $count } { $count ->
        [one] Node
       *[other] Nodes
    }
group-ran = { $count } { $count ->
        [one] Node
       *[other] Nodes
    } · { $ran } ran
group-freed = { $count } { $count ->
        [one] Node
       *[other] Nodes
    } · freed
group-gradient = ∇ { $value }
group-fold = Fold this group
group-unfold = Unfold this group
folds = Groups of Nodes
fold-level = Fold one level
unfold-level = Open one level
fold-all = Fold every group
unfold-all = Unfold every group
fold-by = Fold by
fold-by-all = all
fold-by-module = module
fold-by-call = call
fold-by-round = round
search-open = Find a Node or a name (/)
search-hint = Name, operator, (4, 8), line 12, S7
search-count = { $count ->
        [0] none
       *[other] { $place ->
            [0] { $count } · Enter: first
           *[other] { $place } of { $count }
        }
    }
search-at-step = Enter: step { NUMBER($step, useGrouping: 0) }
search-next = Next (Enter)
search-previous = Previous (Shift+Enter)
search-close = Close the search (Esc)
zoom = Graph size
zoom-out = Smaller (-)
zoom-fit = Fit to the pane; press again for the whole graph (0)
zoom-in = Larger (+)
zoom-fit-word = Fit
memory = Memory
memory-hint = names → tensors → storage
memory-empty = No tensor has a name in this run. Give a tensor a name, as in x = torch.ones(3), and its memory is drawn here.
saved-current = current
saved-stale = STALE
saved-freed = freed
saved-hidden = not shown
storage-freed = freed
storages-folded =
    { $count ->
        [one] 1 storage
       *[other] { $count } storages
    }, { $bytes }
storages-saved = saved by { $nodes }
storages-freed =
    { $count ->
        [one] 1 storage, freed
       *[other] { $count } storages, freed
    }
storages-all-freed =
    { $count ->
        [one] 1 freed storage
       *[other] { $count } freed storages
    }
storages-fold = Fold these storages
storages-unfold = Show these storages one by one
storages-unfold-freed = Show freed storages in their rows
folds-storages = Folding storages
storages-stale = { $count } stale
storages-about =
    { $what ->
        [written] { $count } written: { $names }
        [new] { $count } new: { $names }
       *[read] { $count } read: { $names }
    }
same-bytes = bytes of { $storage }
was = was
unknown = unknown
empty-storage = no bytes
cells-between =
    { $count ->
        [one] one more value
       *[other] { $count } more values
    }
cells-unread =
    { $count ->
        [one] one more cell that no recorded tensor reads
       *[other] { $count } more cells that no recorded tensor reads
    }
no-shape = no shape
summary-count =
    { $count ->
        [one] 1 value
       *[other] { $count } values
    }
summary-mean = mean { $value }
memory-others = and { $count ->
        [one] one more storage
       *[other] { $count } more storages
    }: pin a name to show its storage first
tensors-others = and { $count ->
        [one] one more tensor
       *[other] { $count } more tensors
    }
more = +{ $count }

## The text view

as-text = Text view (t)
as-text-word = Text view
key-construction = into the steps that construct a module, or out of them
key-hide = hide the followed item in memory
key-pin = pin the followed item, or unpin it
key-why = explain the selected value
key-values = values next to the code, on or off
key-text = pictures or text

## Predictions: a question before each step

predict-title = Step { NUMBER($step, useGrouping: 0) }: what will happen?
predict-line = Line { NUMBER($line, useGrouping: 0) } runs next:
predict-node = A Node runs next, in the backward of line { NUMBER($line, useGrouping: 0) }:
predict-operator = `{ $operator }` runs next, on line { NUMBER($line, useGrouping: 0) }:
predict-show = Show it
predict-another = Another question
answer = Answer
ask-node = Which Node runs next?
ask-sends = What will the first element of the gradient be that `{ $node }` sends along its edge { $edge }?
ask-grad = What will the first element of `{ $name }` be?
ask-counter = Which version counter will go up?
ask-cell = Which cell will change its value?
ask-value = What will the value of the cell { $cell } be?
ask-value-new = What will the first element of `{ $name }` be?
ask-version = What will the version of the counter of `{ $names }` be?
ask-grad-fn = What will the name of the `grad_fn` of `{ $name }` be?
ask-culprit = Which line overwrote a value that backward needs?
ask-raises = Will it raise an error?
ask-raising-line = Which line of this program will end it with an error?
answer-text = `{ $text }`
answer-line = line { NUMBER($line, useGrouping: 0) }
answer-counter = the counter of `{ $names }`
answer-yes = Yes
answer-no = No
answer-none-sends = No gradient
answer-none-grad = No gradient (None)
answer-none-counter = None of them
answer-none-cell = None of them
answer-none-grad-fn = None
answer-none-culprit = No line
answer-none-raising-line = No line
answer-hint-number = A number as torch prints it, or nan, inf, -inf, True, False.
answer-hint-version = A whole number.
answer-hint-cell = Click the cell, or type it as S1[0].
answer-hint-counter = Click a tensor with this counter, or choose one.
answer-hint-node = Click the Node, or choose one.
answer-hint-name = The name as torch prints it, for example AddBackward0.
answer-hint-line = Click the line of code, or choose one.
answer-hint-whether = Answer to see what happens.
answer-right = Right: { $truth }.
answer-wrong = Not right. Your answer was { $given }; the correct answer is { $truth }.

## Legend

legend = Legend
legend-leaf = leaf
legend-result = has grad_fn
legend-plain = no grad
legend-pocket = saved tensor
legend-stale = saved, stale
legend-version = version
legend-written = just written
legend-edge = graph edge
legend-window = elements used
legend-link = saved in
legend-flow = gradient
legend-ghost = freed
legend-unread = read by no tensor
legend-warning = warning, hint
legend-wrong = wrong ≠ right
legend-unreached = gets no gradient
legend-clash = does not fit
legend-view = view of
legend-counter = one counter

## Timeline

timeline = Steps of the run
forward = forward
backward = backward
update = update
backward-in = backward (inside line { NUMBER($line, useGrouping: 0) })
walk = Step by
walk-line = Line
walk-line-means = A step is one statement (g changes this)
walk-node = Node
walk-node-means = A step is one statement, in backward one Node (g changes this)
walk-operator = Operator
walk-operator-means = A step is one operator, in backward too (g changes this)
first = First step
previous = Previous step
play = Play
pause = Pause
next = Next step
last = Last step
step = Step { NUMBER($step, useGrouping: 0) }
step-of = of { NUMBER($count, useGrouping: 0) }
line = line { NUMBER($line, useGrouping: 0) }
line-elsewhere = { $line } of { $file }
steps = Steps { NUMBER($from, useGrouping: 0) }–{ NUMBER($step, useGrouping: 0) }
constructed =
    { $modules ->
        [one] A module `{ $name }` is constructed,
       *[other] { NUMBER($modules, useGrouping: 0) } modules are constructed, { $classes ->
            [one] each a `{ $name }`,
           *[other] the first a `{ $name }`,
        }
    } with { $parameters ->
        [0] no parameters
        [one] 1 parameter ({ $elements ->
            [one] 1 element
           *[other] { NUMBER($elements) } elements
        })
       *[other] { NUMBER($parameters) } parameters ({ NUMBER($elements) } elements)
    }{ $buffers ->
        [0] {""}
       *[other] { $others ->
            [0] {" "}and
           *[other] ,
        } { $buffers ->
            [one] 1 buffer
           *[other] { NUMBER($buffers) } buffers
        }
    }{ $others ->
        [0] {""}
        [one] {" "}and 1 other tensor
       *[other] {" "}and { NUMBER($others) } other tensors
    }.
construction-open = Open { construction-steps }
construction-close = Close { construction-steps }
construction-steps = { $count ->
    [one] 1 step
   *[other] { NUMBER($count, useGrouping: 0) } steps
  } of construction
spoken-step = Step { NUMBER($step, useGrouping: 0) }, line { NUMBER($line, useGrouping: 0) }.

speed = Speed: { $speed }
speed-means = Speed: half, normal, double, four times
round = round { NUMBER($round, useGrouping: 0) } of { NUMBER($count, useGrouping: 0) }
round-of = Loop on line { NUMBER($line, useGrouping: 0) }: round { $round } of { NUMBER($count, useGrouping: 0) }
round-keys = i: the same line in the next round; Shift+i: in the previous round
timeline-zoom = How much of the run is shown
timeline-nearer = Show a shorter part of the run (+)
timeline-wider = Show a longer part of the run (-)
timeline-whole = All
timeline-whole-means = Show the whole run (0)
living = { $bytes } in { $count ->
    [one] 1 storage
   *[other] { NUMBER($count, useGrouping: 0) } storages
  }
living-short = { $bytes } in memory
living-largest = largest
living-largest-means = Follow the largest storage; pressed again, the next largest
living-most = peak: { $bytes }, step { NUMBER($step, useGrouping: 0) }
living-text = In memory: { $bytes } in { $count ->
    [one] 1 storage
   *[other] { NUMBER($count, useGrouping: 0) } storages
  }. Peak: { $most }, at step { NUMBER($step, useGrouping: 0) }.
warnings = Warnings and hints
warning-previous = Previous warning or hint (Shift+w)
warning-next = Next warning or hint (w)

## The followed item; hidden and pinned names

changes = Changes of { $name }
pointers = Address
pointer-tensor =
    `data_ptr()` is { $address } (`{ $hex }`), { $byte ->
        [0] the first byte
        [one] 1 byte after the first
       *[other] { NUMBER($byte, useGrouping: 0) } bytes after the first
    } of `{ $storage }`.
pointer-object = `id()` is { $address } (`{ $hex }`).
storage-unread =
    No recorded tensor reads the last { $count ->
        [one] byte
       *[other] { NUMBER($count, useGrouping: 0) } bytes
    } of `{ $storage }`.
pointer-storage =
    `{ $storage }` begins at { $address } (`{ $hex }`) and has { $bytes ->
        [one] 1 byte
       *[other] { NUMBER($bytes, useGrouping: 0) } bytes
    }.
change-previous = Previous change ([)
change-next = Next change (])
change-leave = Stop following
wish-pin = Pin it on top, or unpin it (k)
wish-hide = Hide it (h)
wish-back = Show again
wish-unpin = Unpin
wishes = Hidden and pinned
wishes-hidden = Hidden
wishes-pinned = Pinned
memory-all-hidden = Everything is hidden; the button above shows it again.
change-none = no change here
change-spoken = { $name }: { $what }; change { NUMBER($place, useGrouping: 0) } of { NUMBER($count, useGrouping: 0) } so far
change-made = created
change-bound = named
change-unbound = name removed
change-written = written
change-version = version changed
change-geometry = new shape
change-grad = gradient
change-grad_fn = new grad_fn
change-requires_grad = requires_grad
change-resized = resized
change-moved = moved
change-freed = freed
change-gone = destroyed

## About a run

edited = edited since this run
about = About this run
about-none = Nothing has run yet. Snippets run here with:
about-torch = torch
about-python = Python
about-stepgrad = Stepgrad
about-packages = Packages
about-format = trace format
about-device = device
about-seed = seed
limits = Limits
limits-means = The maximum that a run may use. Reaching a limit ends the run; every step until then is shown.
limit-wall_seconds = time
limit-cpu_seconds = processor time
limit-statements = statements
limit-steps = steps of all kinds
limit-memory_bytes = memory
limit-output_bytes = output
limit-source_bytes = source
limit-tmp_bytes = files in /tmp
limit-trace_bytes = recording
limit-threads = threads
limit-cells = all values of a storage are recorded up to
seconds = { $count } s
used-of = { $used } of { $limit }
elements = { $count ->
    [one] 1 element
   *[other] { $count } elements
  }

## Output

output = Output
output-nothing = Nothing printed yet.
output-first = First output: step { NUMBER($step, useGrouping: 0) }
output-earlier = { $count ->
    [one] all of it
   *[other] all { $count } characters
  }
output-none = This run prints nothing. What print() writes appears here.
lower = Below the pictures
lower-larger = More room for this pane
variables = Calls and variables
variables-none = No variables yet.
frames-omitted = { $count ->
        [one] … and one call between them
       *[other] … and { $count } calls between them
    }
variables-more = { $count ->
    [one] and 1 more tensor
   *[other] and { NUMBER($count, useGrouping: 0) } more tensors
  }
variables-changed = { $count ->
    [one] 1 changed in this step
   *[other] { NUMBER($count, useGrouping: 0) } changed in this step
  }
variable-was = was { $value }
variable-new = new
variable-changed = changed
variable-follow = Follow { $name } in the memory picture
variable-items = { $type } of { NUMBER($count, useGrouping: 0) }
variable-object = { $type } object
variable-tensor = tensor of shape { $shape }
variable-unbound = no longer defined
frame-module = module
frame-call = call { NUMBER($call, useGrouping: 0) } of { NUMBER($calls, useGrouping: 0) }
frame-innermost = (running)
text-cut = { $count ->
    [one] [1 more character]
   *[other] [{ $count } more characters]
  }

## The modes of a step: labels and explanations

mode-grad-off = grad off
mode-grad-off-means = Grad mode is off here: autograd records nothing.
mode-inference = inference
mode-inference-means = Inference mode is on: autograd records nothing, and tensors that are created here with new memory have no version counter.
mode-autocast = autocast { $dtype }
mode-autocast-means = Autocast is on: the operators it covers compute in `{ $dtype }`.
mode-anomaly = anomaly
mode-anomaly-means = Anomaly mode is on: each Node records where it was created.
mode-hooks = version check off
mode-hooks-means = Saved-tensor hooks are on: torch does not check versions here.
mode-no-hooks = hooks disabled
mode-no-hooks-means = Saved-tensor hooks are disabled here: registering them raises an error.
mode-threads = other thread
mode-threads-means = Another thread ran during this step; its actions are not shown.

## Two snippets side by side: A and B

compare = Compare with another snippet
compare-word = Compare
compare-with-edited = The edited code, compared with this run
compare-with-before = The previous run, compared with this one
compare-with-lesson = A lesson
compare-choose = Choose …
compare-hint = To compare your own change, edit the code and come back here, or run it first.
compare-with-fix = Compare side by side: { $fix }
compare-run-before = The run before
compare-run-shown = Before the edit
compare-edited = After the edit
compare-title = Side by side: A, { $left }; B, { $right }
compare-back = Back
compare-heading = Two snippets side by side
compare-leave = Leave the comparison (F2)
compare-edit-side = Edit { $letter }
compare-code = Code of { $letter }
compare-story = What just happened
compare-untold = How this run ended is shown at the last step.
compare-not-begun = This run has not begun yet.
compare-waits = This run stays on line { NUMBER($line, useGrouping: 0) } during this step.
compare-over = This run has ended.
badge-waits = waits here
badge-over = ended here
verdict-finished = finished
verdict-raised =
    { $line ->
        [0] { $type }
       *[other] { $type } on line { NUMBER($line, useGrouping: 0) }
    }
## Help

help-graph = The graph shows what autograd recorded: inputs above, the loss below, arrows along `next_functions`. A pocket in a Node is a saved tensor, with its storage and version; a bucket is an `AccumulateGrad`. A stack of sheets is a folded group of Nodes: a round of a loop, a call of a function, a module. Its `+` opens it.
help-memory = Memory shows variables, their tensors, and their storages. Tensors with outlines around the same storage share its bytes; each tensor shows its version counter.
help-steps = A step goes to the next line, the next Node of backward or the next operator, as you choose. Nothing in the pictures moves between steps. On a touch screen, swipe left or right to step, where nothing scrolls in that direction.
keys = Keys
glossary = Glossary
glossary-all = All terms
key-next = next step
key-previous = previous step
key-line = next, previous line, for any kind of step
key-walk = step by line, Node or operator
key-ends = first, last step
key-ten = ten steps back, ten steps forward
key-play = play or pause
key-warning = next, previous warning or hint
key-change = next, previous change of the followed item
key-choose = graph: along its edges, and to the side; memory: follow a name, a tensor, a storage, an element, or go to a group
key-saving = memory: go to the Node that saved the followed item
key-round = loop: the same place in the next, previous round
key-zoom = graph: larger, smaller, fit; timeline: a shorter part, a longer one, the whole run
key-search = find a Node of the graph
key-fold = graph: details of a Node, or unfold a group; fold the group around it
key-fold-storages = memory: show the storages of a group, or fold them
key-maximise = one pane alone, all panes
key-presenting = presenter mode: large text; PageUp and PageDown of a clicker step
key-blank = presenter mode: blank screen; the next key or click brings the page back
key-dot = presenter mode: a dot that follows the mouse
key-note = a note on this step, kept in this browser
key-here = code: the next, previous step of this line
key-break = code: set a breakpoint on this line, or remove it
key-to-break = run on to the next breakpoint, back to the previous one
key-edit = edit the code; in the editor, back to the last recording
key-choose-line = code: choose a line, and see the values of its names
key-edit-here = code: edit this line
key-run = run the code, or stop it
key-pane = next, previous pane
key-legend = what the symbols mean
key-help = this help
key-leave = close a message, or stop the run; leave the editor or presenter mode

## The export dialog

export = Export
export-picture = Picture
export-both = graph and memory
export-graph = graph
export-memory = memory
export-this = Step { NUMBER($step, useGrouping: 0) }
export-as-seen = As the panes show it now, in light colors on white, with embedded fonts.
export-paper = Step { NUMBER($step, useGrouping: 0) } for a paper
export-paper-hint = Drawn by Graphviz with the positions of this page. Text can be selected, and the DOT source can be edited.
export-paper-as = { $format } for a paper
export-steps = Several steps
export-from = from
export-to = to
export-slides = Print slides
export-slide = Step { NUMBER($step, useGrouping: 0) }
export-drawing = Drawing step { NUMBER($step, useGrouping: 0) }, up to { NUMBER($last, useGrouping: 0) } …
export-saved = Saved as { $name }.
export-printed = The browser's print dialog was opened: one page per step.
export-nothing = These panes show nothing at this step.
export-failed = The file could not be made. Close other tabs, or choose fewer steps, and try again.
export-too-many = One file has at most { NUMBER($most, useGrouping: 0) } steps: choose fewer.
export-no-range = Choose steps from 1 to { NUMBER($count, useGrouping: 0) }, the first before the last.
