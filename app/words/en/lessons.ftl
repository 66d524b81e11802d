### Headings of the course: `lesson-group-<group>`.

lesson-group-path = The path: ten lessons
lesson-group-memory = Memory: which tensors share it
lesson-group-views = Views: several tensors on one storage
lesson-group-versions = Versions: which writes autograd detects
lesson-group-leaves = Leaves: which tensors get a gradient
lesson-group-cut = Cut graphs
lesson-group-lifetime = When graphs are freed
lesson-group-numpy = NumPy
lesson-group-modules = Modules and optimizers
lesson-group-modes = Modes and custom Functions

## The course

lessons = Lessons
course = The course
course-words = { $count } lessons. Each asks whether a claim is true and what the code will do, runs it, and shows the proof. At the end you change the code yourself.
course-path-words = New to autograd? Take these ten lessons in order: from a first gradient to a gradient that is wrong without an error. The other lessons do not depend on each other.
course-begin = Start with the first lesson
course-go-on = Continue with lesson { $number }
course-lectures = For teachers: three ready lectures.
course-all = All lessons
course-lessons =
    { $count ->
        [one] 1 lesson
       *[other] { $count } lessons
    }
course-done = { $done } of { $count } done
lesson-previous = Previous lesson
lesson-next = Next lesson
lesson-place = Lesson { $place } of { $count }
lesson-back = Back to the lesson
lesson-fixed = { $title }: fixed
course-description = { $count } lessons on what PyTorch does behind the scenes: which tensors share memory, what autograd saves, which writes it detects. Predict, run and see the proof, in the browser.
course-not-begun = Not started
course-right = { $count } predicted correctly
course-progress = Lessons completed
course-whole = You have completed the course.
course-groups = Parts of the course
course-search = Search lessons and their code
course-found =
    { $count ->
        [0] Nothing found
        [one] 1 lesson found
       *[other] { $count } lessons found
    }
course-nothing = No lesson matches “{ $query }”. Try a single word, or a name from PyTorch.
course-search-clear = Show all lessons
course-broken-fixed = with its fix
course-right-mark = predicted correctly
course-wrong-mark = predicted incorrectly
course-seen-mark = run
course-shown-mark = run, not predicted
course-tried-mark = change made
course-needs-script = The lessons run in the player, which needs JavaScript.
skip-to-lesson = Skip to the question
skip-to-lessons = Skip to the lessons
lesson-claim = The claim
lesson-true = True?
lesson-ask = What will happen?
lesson-predict = Predict and run
lesson-just-run = Just run it
lesson-right-words = This is the correct way.
lesson-stepped = You have changed the code, so the lesson is hidden.
lesson-verdict = Verdict
lesson-tell = Show the answer
lesson-predicted-right = You predicted { $letter }, which is correct.
lesson-predicted-wrong = You predicted { $letter }. What happens:
lesson-predicted-untold = What happens:
lesson-claim-right = The claim is true
lesson-claim-wrong = The claim is false
lesson-claim-half = The claim is partly true
lesson-proof = The proof
lesson-seen = seen in this run
lesson-stated = The result in plain PyTorch, without Stepgrad
lesson-beside = Broken | fixed, side by side
lesson-open-fixed = Open the fixed code
lesson-now-try = Now try
lesson-try-how = Press Edit, change the code, then press Run. Your run is checked, not your text.
lesson-try-made = Done: your run passes the checks.
lesson-try-open = Not yet: your run does not pass the checks.
lesson-try-holds = holds:
lesson-try-fails = does not hold:
lesson-try-finishes = the run finishes
lesson-try-raises = the run raises { $type }
lesson-try-way = Show one way
lesson-try-remove = delete this line

## For search engines

page-description = Run a PyTorch snippet and watch it step by step: the autograd graph, the memory that tensors share, version counters, gradients.
shared-by = Shared by “{ $author }”.
shared-untitled = A run of PyTorch, step by step
shared-picture = The memory of this run at one step: names, tensors and storages
shared-description = A PyTorch snippet that somebody shared, shown step by step: the autograd graph, the memory that tensors share, gradients.
needs-script = Stepgrad draws in the browser and needs JavaScript.
