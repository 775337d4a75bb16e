from __future__ import annotations

from pipelines.engine.channels.llm.estimated_tokens import EstimatedTokens
from pipelines.engine.channels.usage_rates import TokenRates


def test_a_model_that_has_reported_nothing_yet_is_taken_to_count_as_most_do() -> None:
    tokens = EstimatedTokens()
    tokens.unreported(400, 40)
    assert (tokens.input_tokens, tokens.output_tokens) == (100, 10)


def test_what_a_model_reports_says_how_it_counts_the_rest() -> None:
    tokens = EstimatedTokens()
    tokens.reported(1_000, 400, 100, 20)
    tokens.unreported(2_500, 50)
    assert (tokens.input_tokens, tokens.output_tokens) == (1_000, 10)


def test_what_a_model_reports_later_corrects_the_estimate() -> None:
    tokens = EstimatedTokens()
    tokens.unreported(1_000, 100)
    tokens.reported(1_000, 500, 100, 50)
    assert (tokens.input_tokens, tokens.output_tokens) == (500, 50)


def test_all_that_was_unreported_counts() -> None:
    tokens = EstimatedTokens()
    tokens.reported(1_000, 250, 100, 25)
    tokens.unreported(400, 40)
    tokens.unreported(800, 0)
    assert (tokens.input_tokens, tokens.output_tokens) == (300, 10)


def test_an_answer_without_words_says_nothing_about_the_next() -> None:
    tokens = EstimatedTokens()
    tokens.reported(1_000, 250, 0, 0)
    tokens.unreported(1_000, 40)
    assert (tokens.input_tokens, tokens.output_tokens) == (250, 10)


def test_an_answer_that_broke_off_has_reasoned_as_long_as_the_others() -> None:
    tokens = EstimatedTokens()
    tokens.reported(1_000, 250, 100, 80, 60)
    tokens.reported(1_000, 250, 100, 40, 20)
    tokens.unreported(1_000, 50)
    assert tokens.reasoning_tokens == 40
    assert tokens.output_tokens == 10 + 40


def test_an_answer_of_which_nothing_came_is_not_taken_to_have_reasoned() -> None:
    tokens = EstimatedTokens()
    tokens.reported(1_000, 250, 100, 80, 60)
    tokens.unreported(1_000, 0)
    assert (tokens.reasoning_tokens, tokens.output_tokens) == (0, 0)


def test_until_a_model_reports_in_this_call_other_calls_say_how_it_counts() -> None:
    elsewhere = TokenRates()
    EstimatedTokens(elsewhere).reported(1_000, 500, 100, 80, 30)
    tokens = EstimatedTokens(elsewhere)
    tokens.unreported(2_000, 40)
    assert tokens.input_tokens == 1_000
    assert tokens.reasoning_tokens == 30
    assert tokens.output_tokens == 20 + 30
    tokens.reported(1_000, 250, 100, 25, 0)
    assert (tokens.input_tokens, tokens.output_tokens) == (500, 10)
