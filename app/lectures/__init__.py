"""Lectures: pages with recordings at steps, notes, questions and tallies; and the plans that ship with Stepgrad."""

from app.lectures.lecture import Asks, Lecture, LectureError, LectureNote, LecturePart, Marked, check, decode_lecture
from app.lectures.plans import Plan, plan_of, plans

__all__ = [
    "Asks",
    "Lecture",
    "LectureError",
    "LectureNote",
    "LecturePart",
    "Marked",
    "Plan",
    "check",
    "decode_lecture",
    "plan_of",
    "plans",
]
