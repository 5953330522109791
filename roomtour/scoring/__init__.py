"""Answers of models and people scored against a dataset: one module and one row of `SCORERS` per kind of data."""

from roomtour.scoring.records import Scorer, ScoreReport, ScoreTable
from roomtour.scoring.score import explain_answers, rank_answers, score_answers

__all__ = ["ScoreReport", "ScoreTable", "Scorer", "explain_answers", "rank_answers", "score_answers"]
