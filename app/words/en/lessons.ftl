### Headings of the course: `lesson-group-<group>`.

lesson-group-memory = Memory: who has the bytes
lesson-group-views = Views: one storage, many windows
lesson-group-versions = Versions: what autograd notices
lesson-group-leaves = Leaves: who gets a gradient
lesson-group-cut = Cut graphs
lesson-group-lifetime = How long a graph lives
lesson-group-numpy = NumPy
lesson-group-modules = Modules and optimizers
lesson-group-modes = Modes and custom Functions

## The course

lessons = Lessons
course = The course
course-words = { $count } lessons. Each takes a claim, asks you what will happen, runs it, and shows what is true, with the proof.
course-begin = Begin with the first lesson
course-go-on = Go on with lesson { $number }
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
course-description = { $count } lessons on what PyTorch hides: who shares memory, what autograd saves, which write it notices. Predict, run, and see the proof, in the browser.
course-not-begun = Not begun yet
course-right = { $count } predicted rightly
course-progress = Lessons done
course-whole = You have done the whole course.
course-groups = Parts of the course
course-search = Search lessons and their code
course-found =
    { $count ->
        [0] Nothing found
        [one] 1 lesson found
       *[other] { $count } lessons found
    }
course-nothing = No lesson speaks of “{ $query }”: try one word of it, or a name from PyTorch.
course-broken-fixed = broken | fixed
course-right-mark = predicted rightly
course-wrong-mark = predicted wrongly
course-seen-mark = run
course-needs-script = The lessons run in the player, which needs JavaScript.
skip-to-lesson = Skip to the question
skip-to-lessons = Skip to the lessons
lesson-claim = The claim
lesson-ask = What will happen?
lesson-predict = Predict and run
lesson-just-run = Just run it
lesson-right-words = This is how it is done rightly.
lesson-stepped = The code is your own now, and the lesson has stepped back.
lesson-verdict = Verdict
lesson-tell = Tell me
lesson-predicted-right = You predicted { $letter }, and so it is.
lesson-predicted-wrong = You predicted { $letter }. What happens:
lesson-predicted-untold = What happens:
lesson-claim-right = The claim is right
lesson-claim-wrong = The claim is wrong
lesson-claim-half = The claim is half right
lesson-proof = The proof
lesson-seen = seen in this run
lesson-stated = what plain torch answers
lesson-beside = Broken | fixed, side by side
lesson-open-fixed = Open the fixed one

## Of the pages, for who looks for them

page-description = Run a PyTorch snippet and watch it step by step: the autograd graph, the memory that tensors share, version counters, gradients.
needs-script = Stepgrad draws in the browser and needs JavaScript.
