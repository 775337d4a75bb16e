from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from control_plane.building.catalogue.data_file import CATALOGUE_FILE
from pipelines.texts import phrases
from pipelines.texts.number_word_lists import NUMBER_WORDS
from pipelines.texts.number_words import ends_with_number

NUMBERS = {
    "en": ["five five one", "it is twenty-one.", "double", "ten?"],
    "de": ["null eins sieben", "zweihundertfünfundzwanzig.", "dreißig", "Elf!", "eine Million"],
    "es": ["cinco cinco uno", "veintitrés", "treinta y siete.", "un millón"],
    "fr": ["zéro six douze", "trente-sept", "quatre-vingts", "vingt et un."],
    "hi": ["पाँच", "नौ आठ सात।", "एक हज़ार", "बारह"],
    "ar": ["خمسة", "واحد و عشرون."],
    "cs": ["dvacet pět", "sto"],
    "da": ["femogfyrre", "to tre fire."],
    "el": ["είκοσι πέντε", "μηδέν"],
    "fi": ["kaksikymmentäviisi", "seitsemäntoista", "nolla."],
    "hu": ["huszonegy", "negyvenöt."],
    "id": ["dua puluh lima", "nol"],
    "it": ["ventuno", "trecentoquarantacinque.", "quarantotto", "zero"],
    "ja": ["番号は三四五", "いち に さん。"],
    "ko": ["이십일", "영일공 삼사"],
    "nl": ["vijfenveertig", "drieëntwintig.", "nul zes"],
    "no": ["førtifem", "tre hundre"],
    "pl": ["dwadzieścia jeden", "zero."],
    "pt": ["quarenta e cinco", "meia", "dezesseis"],
    "ro": ["douăzeci și unu", "o sută"],
    "ru": ["сорок пять", "ноль восемь."],
    "sk": ["dvadsaťjeden", "päť"],
    "sl": ["petinštirideset", "sto"],
    "sv": ["tjugoett", "fyrtio två.", "förtiofem"],
    "th": ["ยี่สิบเอ็ด", "หมายเลขศูนย์แปด"],
    "tr": ["yirmi bir", "kırkbeş."],
    "uk": ["сорок п'ять", "дев’ять"],
    "vi": ["bốn mươi lăm", "không chín"],
    "zh": ["我的号码是一三五", "二十一。"],
    "af": ["vyf-en-twintig", "nul agt."],
    "eu": ["hogeita bost", "zazpi."],
    "ga": ["a haon", "fiche a cúig."],
    "gu": ["પાંચ", "એક બે."],
    "hy": ["քսանհինգ", "ութ."],
    "ka": ["ოცდახუთი", "ცხრა."],
    "kk": ["жиырма бес", "нөл."],
    "ku": ["bîst û pênc", "heşt."],
    "ky": ["жыйырма беш", "нөл."],
    "ml": ["ഇരുപത്തിയഞ്ച്", "ഏഴ്."],
    "mr": ["पाच", "एक दोन."],
    "mt": ["ħamsa u għoxrin", "tmienja."],
    "my": ["နှစ်ဆယ့်ငါး", "ဖုန်းနံပါတ်သုည"],
    "ne": ["दुई सय", "नौ।"],
    "pa": ["ਦੋ ਸੌ", "ਪੰਜ।"],
    "si": ["එක දෙක", "අට."],
    "sq": ["njëzet e pesë", "tetë."],
    "sw": ["ishirini na tano", "nane."],
    "ta": ["இருபத்து ஐந்து", "ஏழு."],
    "tt": ["егерме биш", "унике."],
    "ur": ["دو سو", "پانچ"],
    "uz": ["yigirma besh", "to‘rt."],
}
OTHERS = {
    "en": ["I am alone", "someone", "it weighs a ton.", ""],
    "de": ["das ist mein", "Verein", "Einsicht", "Zeit"],
    "es": ["ninguno", "buenos días", "once veces"],
    "fr": ["quelqu’un", "je viens de Cannes", "merci."],
    "hi": ["अनेक", "नमस्ते"],
    "fi": ["kiitos", "minä olen"],
    "it": ["nessuno", "grazie"],
    "ja": ["お願いします"],
    "ko": ["감사합니다"],
    "nl": ["dank u wel", "iemand"],
    "sv": ["tack", "någonting"],
    "th": ["ขอบคุณ"],
    "tr": ["teşekkürler", "yardım"],
    "zh": ["谢谢"],
    "af": ["dankie", "iemand"],
    "eu": ["eskerrik asko"],
    "ga": ["go raibh maith agat"],
    "gu": ["આભાર"],
    "hy": ["շնորհակալություն"],
    "ka": ["გმადლობთ"],
    "kk": ["рахмет"],
    "ku": ["spas"],
    "ky": ["рахмат"],
    "ml": ["നന്ദി"],
    "mr": ["धन्यवाद", "अनेक"],
    "mt": ["grazzi"],
    "my": ["ကျေးဇူးတင်ပါတယ်"],
    "ne": ["धन्यवाद"],
    "pa": ["ਧੰਨਵਾਦ"],
    "si": ["ස්තූතියි"],
    "sq": ["faleminderit"],
    "sw": ["asante"],
    "ta": ["நன்றி"],
    "tt": ["рәхмәт"],
    "ur": ["شکریہ"],
    "uz": ["rahmat"],
}


def test_the_languages_of_the_local_voices_have_number_words() -> None:
    models = json.loads(CATALOGUE_FILE.read_text())["models"]
    spoken = {
        language
        for model in models
        if model["provider"] == "local"
        for language in model["languages"]
    }
    assert NUMBER_WORDS.keys() == spoken
    assert NUMBER_WORDS.keys() >= set(phrases.languages()) | NUMBERS.keys() | OTHERS.keys()


@pytest.mark.parametrize(
    ("language", "text"), [(language, text) for language in NUMBERS for text in NUMBERS[language]]
)
def test_a_number_at_the_end_is_found(language: str, text: str) -> None:
    assert ends_with_number(text, f"{language}-XX")


@pytest.mark.parametrize(
    ("language", "text"), [(language, text) for language in OTHERS for text in OTHERS[language]]
)
def test_other_words_at_the_end_are_none(language: str, text: str) -> None:
    assert not ends_with_number(text, language)


def test_the_page_says_in_how_many_languages() -> None:
    page = Path(__file__).parents[3] / "docs" / "agent-fields.md"
    assert f"in the words of {len(NUMBER_WORDS)} languages" in page.read_text()


@pytest.mark.parametrize("locale", ["zu", "yo-NG"])
def test_in_other_languages_digits_count(locale: str) -> None:
    assert ends_with_number("12.", locale)
    assert not ends_with_number("five", locale)


@pytest.mark.parametrize("language", NUMBER_WORDS)
@pytest.mark.parametrize("text", ["dreizehn" * 250 + "x", "5 " * 1_000 + "x", "-" * 2_000 + "x"])
def test_no_text_takes_long(language: str, text: str) -> None:
    begun_at = time.thread_time()
    assert not ends_with_number(text, language)
    assert time.thread_time() - begun_at < 0.1
