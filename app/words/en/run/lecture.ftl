### Lectures: pages of recordings at steps, with notes and questions.

lectures = Lectures
lectures-words = Ready to teach: each lecture takes about 15 minutes and has notes to say aloud, pictures to step through, and questions to ask.
lectures-all = All lectures
lectures-own =
    { $count ->
        [one] The lecture that you made
       *[other] The { $count } lectures that you made
    }
lecture-length = { $minutes } minutes, { $parts } parts
lecture-skip = Skip to the lecture
lecture-by = by { $author }
lecture-failed = This picture cannot be shown: something in Stepgrad itself failed.
lecture-untitled = Lecture
lecture-part = Part { $number }
lecture-picture = { $picture } of part { $number }
lecture-picture-waits = The picture is being drawn.
lecture-live = Step through
lecture-at = Step { $step } of { $count }, line { $line }
lecture-open = Open in Stepgrad
lecture-gone = The recording that this part showed was deleted.
lecture-question = Question:
lecture-answer-show = Show the answer
lecture-tally = How often each answer was given
lecture-count = { $count }
lecture-print = Print
lecture-drawing = All pictures are being drawn for printing.
lecture-recorded = Every picture is drawn from a recording of a real PyTorch run.
lecture-report-title = Report this lecture

## Making a lecture

lecture-make = Make a lecture
lecture-make-hint = The steps at which you stopped become a page with its own link. Everyone with the link can read your text.
lecture-empty = No step has been kept yet. In presenter mode, each step that you show for two seconds is kept.
lecture-keep-this = Add the current step
lecture-title = Title
lecture-author = Author
lecture-part-asked = { $count ->
    [one] With a question and one answer
   *[other] With a question and { $count } answers
}
lecture-part-at = Part { $number }: step { $step }, line { $line }
lecture-raise = Move up
lecture-lower = Move down
lecture-raise-part = Move part { $number } up
lecture-lower-part = Move part { $number } down
lecture-note-en = Note in English
lecture-note-zh = Note in Chinese
lecture-note-en-of = Note on part { $number } in English
lecture-note-zh-of = Note on part { $number } in Chinese
lecture-publish =
    { $count ->
        [one] Publish 1 part
       *[other] Publish { $count } parts
    }
lecture-publishing = The lecture is being published.
lecture-made = The lecture is published.
lecture-read = Read it
lecture-edit = Edit
lecture-save = Save
lecture-delete = Delete this lecture
lecture-deleted = The lecture was deleted.

## Errors

error-unknown_lecture = { error-unknown_lecture.message }: { error-unknown_lecture.hint }
    .message = There is no such lecture on this server
    .hint = check the link, or choose one at /lectures.
error-unknown_part = A part shows a link that was deleted. Leave that part out, or share its code again.
error-no_answer = A question or a tally does not belong to its recording. Leave that part out.
error-too_large_for_lecture_file = The recordings of this lecture are too large for one file. Read it at its link.
