from pipelines.engine.providers.spec import split_keywords


def test_keywords_are_split_at_commas_and_kept_in_order() -> None:
    assert split_keywords(" Hibari, root canal ,,Hibari") == ("Hibari", "root canal")


def test_no_keywords_give_no_words() -> None:
    assert split_keywords(None) == ()
