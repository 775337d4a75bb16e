from pipelines.texts.keypad import HIDDEN_ENTRY, HiddenKeys, words_of_keys


def test_an_entry_is_shown_as_it_was_made() -> None:
    assert HiddenKeys(hides=False).shown(words_of_keys("12*4")) == "[keypad] 12*4"


def test_a_secret_entry_is_never_shown_nor_read_back() -> None:
    keys = HiddenKeys(hides=True)
    assert keys.shown("My number is 5") == "My number is 5", "nothing was entered yet"
    assert keys.shown(words_of_keys("4711")) == HIDDEN_ENTRY
    assert keys.shown("You entered 4711, is that right?") == "You entered ••••, is that right?"
