"""Who does not want to be recorded is understood, and nobody else."""

from __future__ import annotations

import pytest

from pipelines.texts.phrases import languages
from pipelines.texts.recording_refusal import _AGREEMENTS, _REFUSALS, refuses_recording


@pytest.mark.parametrize(
    ("locale", "text"),
    [
        ("en-US", "No, do not record."),
        ("en-US", "No do not record me please."),
        ("en-US", "Please don\u2019t record this call."),
        ("en-US", "I don't want to be recorded."),
        ("en-GB", "I do not agree to being recorded, sorry."),
        ("en-US", "I'd rather not be recorded."),
        ("en-US", "I'm not comfortable with the recording."),
        ("en-US", "Could you stop recording?"),
        ("en-US", "Turn off the recording."),
        ("en-US", "No recording, please."),
        ("en-US", "Can we talk without being recorded?"),
        ("en-US", "I don't want to be recorded. I have a problem with my bill."),
        ("en-US", "I'm calling about an issue, but please do not record this."),
        ("en-US", "I'd rather you didn't record this."),
        ("en-US", "I would prefer if this wasn't recorded."),
        ("en-US", "Can you please not record this call?"),
        ("en-US", "I don't give you permission to record me."),
        ("de-DE", "Nein, bitte nicht aufzeichnen."),
        ("de-DE", "Ich möchte nicht, dass Sie das aufnehmen."),
        ("de-DE", "Zeichnen Sie das bitte nicht auf!"),
        ("de-DE", "Keine Aufzeichnung bitte."),
        ("de-DE", "Kein Problem, aber bitte nicht aufzeichnen."),
        ("es-ES", "No grabe esta llamada, por favor."),
        ("es-MX", "No quiero que me graben."),
        ("es-ES", "Prefiero hablar sin grabación."),
        ("es-ES", "Tengo un problema y no quiero que me graben."),
        ("fr-FR", "N\u2019enregistrez pas, s'il vous plaît."),
        ("fr-FR", "Je ne veux pas être enregistré."),
        ("fr-FR", "Arrêtez l'enregistrement."),
        ("hi-IN", "नहीं, रिकॉर्ड मत कीजिए।"),
        ("hi-IN", "कृपया रिकॉर्डिंग बंद करें।"),
        ("it-IT", "Non voglio essere registrata."),
        ("it-IT", "No, non registri questa chiamata."),
        ("nl-NL", "Ik wil niet dat u dit gesprek opneemt."),
        ("nl-NL", "Neem dit alstublieft niet op."),
        ("pl-PL", "Proszę nie nagrywać tej rozmowy."),
        ("pl-PL", "Nie chcę być nagrywany."),
        ("pt-BR", "Não quero ser gravada."),
        ("pt-PT", "Por favor, não gravem."),
        ("fi-FI", "Do not record me."),
    ],
)
def test_a_refusal_is_understood(locale: str, text: str) -> None:
    assert refuses_recording(text, locale)


@pytest.mark.parametrize(
    ("locale", "text"),
    [
        ("en-US", "No."),
        ("en-US", "Yes, you can record this."),
        ("en-US", "I don't mind being recorded."),
        ("en-US", "No problem with the recording."),
        ("en-US", "I do not object to being recorded."),
        ("en-US", "I did not record it."),
        ("en-US", "I can't give you my medical record."),
        ("en-US", "Don't record the appointment under my old name."),
        ("en-US", "I do not have a record of that."),
        ("en-US", "No, recording is fine."),
        ("en-US", "Is this call recorded?"),
        ("de-DE", "Ich habe nichts dagegen, dass Sie aufzeichnen."),
        ("de-DE", "Das stört mich nicht, wenn Sie aufnehmen."),
        ("de-DE", "Nein, danke."),
        ("es-ES", "No me importa que graben."),
        ("fr-FR", "Ça ne me dérange pas d'être enregistré."),
        ("fr-FR", "Je n'ai pas de problème avec l'enregistrement."),
        ("hi-IN", "मुझे रिकॉर्डिंग से कोई दिक्कत नहीं।"),
        ("it-IT", "Non mi dispiace essere registrato."),
        ("it-IT", "No, grazie."),
        ("nl-NL", "Ik vind het niet erg dat u dit opneemt."),
        ("nl-NL", "Ik heb er geen bezwaar tegen dat u dit opneemt."),
        ("pl-PL", "Nie mam nic przeciwko nagrywaniu."),
        ("pl-PL", "Nie, dziękuję."),
        ("pt-BR", "Não me importo de ser gravado."),
        ("pt-BR", "Não, obrigado."),
    ],
)
def test_other_words_are_none(locale: str, text: str) -> None:
    assert not refuses_recording(text, locale)


def test_it_is_understood_in_each_language_of_the_announcement() -> None:
    assert set(languages()) == set(_REFUSALS) == set(_AGREEMENTS)
