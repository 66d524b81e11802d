### Find and completion in the editor.

find = Find
find-by = Replace with
find-next = Next
find-previous = Previous
find-all = Select all
find-case = Match case
find-regexp = Regular expression
find-words = Whole words
find-replace = Replace
find-replace-all = Replace all
find-current = current match
find-on-line = on line
find-replaced = replaced $ matches
find-replaced-one = replaced the match on line $
completions = Names
