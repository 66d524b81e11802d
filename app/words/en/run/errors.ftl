### Errors of requests about the run that the page shows: pictures, files and fixes.

error-no_picture = { error-no_picture.message }: { error-no_picture.hint }
    .message = There is no picture of this link
    .hint = open the link itself.
error-too_many_pictures = { error-too_many_pictures.message }: { error-too_many_pictures.hint }
    .message = Too many pictures of links wait to be drawn
    .hint = try again in 10 seconds.
error-picture_too_large = { error-picture_too_large.message }: { error-picture_too_large.hint }
    .message = The picture exceeded the limit of time or memory
    .hint = save it as DOT, or draw a smaller run.
error-no_pictures = { error-no_pictures.message }: { error-no_pictures.hint }
    .message = This server cannot draw pictures in this format
    .hint = save it as DOT, or ask the operator of the server to install Graphviz and the fonts.
error-too_large_for_file = { error-too_large_for_file.message }: { error-too_large_for_file.hint }
    .message = This recording is too large to be downloaded as one file
    .hint = make the file with stepgrad trace FILE -o run.html.
error-unknown_fix = This fix is no longer available. Run the code again.
error-nothing_wrong = { error-nothing_wrong.message }: { error-nothing_wrong.hint }
    .message = No gradient of this run is silently wrong
    .hint = there is nothing to correct.
error-unknown_step = { error-unknown_step.message }: { error-unknown_step.hint }
    .message = The recording on the server has no such step
    .hint = run the code again.
