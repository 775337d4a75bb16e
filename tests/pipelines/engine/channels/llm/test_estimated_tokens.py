from __future__ import annotations

from pipelines.engine.channels.llm.estimated_tokens import EstimatedTokens


def test_a_model_that_has_reported_nothing_yet_is_taken_to_count_as_most_do() -> None:
    assert EstimatedTokens().unreported(400, 40) == (100, 10)


def test_what_a_model_reports_says_how_it_counts_the_rest() -> None:
    tokens = EstimatedTokens()
    tokens.reported(1_000, 400, 100, 20)
    tokens.reported(2_000, 800, 300, 60)
    assert tokens.unreported(2_500, 50) == (1_000, 10)


def test_all_that_was_estimated_is_counted() -> None:
    tokens = EstimatedTokens()
    tokens.reported(1_000, 250, 100, 25)
    tokens.unreported(400, 40)
    tokens.unreported(800, 0)
    assert (tokens.input_tokens, tokens.output_tokens) == (300, 10)


def test_an_answer_without_words_says_nothing_about_the_next() -> None:
    tokens = EstimatedTokens()
    tokens.reported(1_000, 250, 0, 0)
    assert tokens.unreported(1_000, 40) == (250, 10)
