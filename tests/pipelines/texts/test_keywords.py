from pipelines.texts.keywords import split_keywords


def test_words_are_split_at_commas_and_kept_in_order() -> None:
    assert split_keywords(" Hibari, root canal ,,Hibari") == ("Hibari", "root canal")


def test_nothing_gives_no_words() -> None:
    assert split_keywords(None) == ()
