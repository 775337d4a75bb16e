import pytest

from pipelines.playbook.values.phrase import phrase
from pipelines.playbook.values.yes_no import yes_or_no

_YES = """yes|Yes, that is right.|yeah|yep sure|uh-huh|mhm|of course|that's correct|no that's fine|
sounds good|go ahead|why not|I do|yes I have been there before|absolutely|no problem|ok|please do"""
_NO = """no|No, this is my first time.|nope|not really|no thanks|I haven't|not yet|that's wrong|
never|I don't think so|nah|that's not right|rather not|know"""
_NEITHER = """|next tuesday|my name is Anna|I don't know|what|purple elephants|\
no idea|I have no idea|I'm not really sure|I can't remember|I haven't decided"""


@pytest.mark.parametrize("said", _YES.replace("\n", "").split("|"))
def test_yes(said: str) -> None:
    assert yes_or_no(phrase(said)) is True


@pytest.mark.parametrize("said", _NO.replace("\n", "").split("|"))
def test_no(said: str) -> None:
    assert yes_or_no(phrase(said)) is False


@pytest.mark.parametrize("said", _NEITHER.split("|"))
def test_neither(said: str) -> None:
    assert yes_or_no(phrase(said)) is None
