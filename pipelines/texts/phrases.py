"""The platform's own sentences that agents say, by language."""

from __future__ import annotations

from dataclasses import dataclass

from contracts.call_plan import CallPlan
from contracts.end_reasons import EndReason
from pipelines.texts.language import primary_language
from pipelines.texts.templates.template import fill_template


@dataclass(frozen=True)
class _Phrases:
    greeting: str
    greeting_from_company: str
    recording: str
    not_recorded: str
    nudge: str
    say_again: str
    one_moment: str
    no_promise: str
    not_done: str
    goodbye: str
    time_is_up: str
    silence: str
    interruption_of_service: str


_PHRASES: dict[str, _Phrases] = {
    "en": _Phrases(
        greeting="Hello, this is {name}. How can I help you?",
        greeting_from_company="Hello, this is {name} from {company}. How can I help you?",
        recording="This call is being recorded.",
        not_recorded="All right, this call is not being recorded.",
        nudge="Are you still there?",
        say_again="I am sorry, could you please say that again?",
        one_moment="One moment, please.",
        no_promise="I cannot make any promises about that.",
        not_done="I am sorry, something went wrong here, so I could not pass that on.",
        goodbye="Thank you for calling. Goodbye.",
        time_is_up="I am sorry, our time is up. Thank you for calling. Goodbye.",
        silence="I cannot hear you, so I will hang up now. Goodbye.",
        interruption_of_service="I am sorry, I have to end this call now. Please call again later.",
    ),
    "de": _Phrases(
        greeting="Guten Tag, hier ist {name}. Wie kann ich Ihnen helfen?",
        greeting_from_company="Guten Tag, hier ist {name} von {company}. Wie kann ich Ihnen "
        "helfen?",
        recording="Dieses Gespräch wird aufgezeichnet.",
        not_recorded="In Ordnung, dieses Gespräch wird nicht aufgezeichnet.",
        nudge="Sind Sie noch da?",
        say_again="Entschuldigung, könnten Sie das bitte noch einmal sagen?",
        one_moment="Einen Moment, bitte.",
        no_promise="Dazu kann ich leider nichts zusagen.",
        not_done="Leider ist hier etwas schiefgegangen, ich konnte das nicht weitergeben.",
        goodbye="Vielen Dank für Ihren Anruf. Auf Wiederhören.",
        time_is_up="Leider ist unsere Zeit um. Vielen Dank für Ihren Anruf. Auf Wiederhören.",
        silence="Ich kann Sie nicht hören und lege jetzt auf. Auf Wiederhören.",
        interruption_of_service="Leider muss ich den Anruf jetzt beenden. Bitte rufen Sie später "
        "noch einmal an.",
    ),
    "es": _Phrases(
        greeting="Hola, soy {name}. ¿En qué puedo ayudarle?",
        greeting_from_company="Hola, soy {name} de {company}. ¿En qué puedo ayudarle?",
        recording="Esta llamada se está grabando.",
        not_recorded="De acuerdo, esta llamada no se graba.",
        nudge="¿Sigue usted ahí?",
        say_again="Disculpe, ¿podría repetirlo, por favor?",
        one_moment="Un momento, por favor.",
        no_promise="Sobre eso no puedo asegurar nada.",
        not_done="Lo siento, ha habido un error y no he podido transmitirlo.",
        goodbye="Gracias por llamar. Adiós.",
        time_is_up="Lo siento, se nos acabó el tiempo. Gracias por llamar. Adiós.",
        silence="No le oigo, así que voy a colgar. Adiós.",
        interruption_of_service="Lo siento, tengo que terminar la llamada. Llame más tarde, por "
        "favor.",
    ),
    "fr": _Phrases(
        greeting="Bonjour, ici {name}. Comment puis-je vous aider ?",
        greeting_from_company="Bonjour, ici {name} de {company}. Comment puis-je vous aider ?",
        recording="Cet appel est enregistré.",
        not_recorded="D'accord, cet appel n'est pas enregistré.",
        nudge="Êtes-vous toujours là ?",
        say_again="Excusez-moi, pourriez-vous répéter, s'il vous plaît ?",
        one_moment="Un instant, s'il vous plaît.",
        no_promise="Je ne peux rien affirmer à ce sujet.",
        not_done="Désolé, une erreur s'est produite et je n'ai pas pu le transmettre.",
        goodbye="Merci de votre appel. Au revoir.",
        time_is_up="Désolé, le temps est écoulé. Merci de votre appel. Au revoir.",
        silence="Je ne vous entends pas, je vais donc raccrocher. Au revoir.",
        interruption_of_service="Désolé, je dois mettre fin à cet appel. Rappelez plus tard, s'il "
        "vous plaît.",
    ),
    "hi": _Phrases(
        greeting="नमस्ते, मैं {name} बोल रही हूँ। मैं आपकी क्या मदद कर सकती हूँ?",
        greeting_from_company="नमस्ते, मैं {company} से {name} बोल रही हूँ। मैं आपकी क्या मदद कर सकती हूँ?",
        recording="यह कॉल रिकॉर्ड की जा रही है।",
        not_recorded="ठीक है, यह कॉल रिकॉर्ड नहीं की जा रही है।",
        nudge="क्या आप अभी भी लाइन पर हैं?",
        say_again="माफ़ कीजिए, क्या आप कृपया दोबारा कह सकते हैं?",
        one_moment="कृपया एक क्षण रुकिए।",
        no_promise="इसके बारे में मैं कोई आश्वासन नहीं दे सकती।",
        not_done="माफ़ कीजिए, यहाँ कुछ गड़बड़ हो गई, इसलिए मैं इसे आगे नहीं पहुँचा सकी।",
        goodbye="कॉल करने के लिए धन्यवाद। नमस्ते।",
        time_is_up="माफ़ कीजिए, हमारा समय समाप्त हो गया है। धन्यवाद। नमस्ते।",
        silence="मुझे आपकी आवाज़ नहीं आ रही है, इसलिए मैं फ़ोन रख रही हूँ। नमस्ते।",
        interruption_of_service="माफ़ कीजिए, मुझे यह कॉल अभी समाप्त करनी होगी। कृपया बाद में कॉल करें।",
    ),
    "it": _Phrases(
        greeting="Buongiorno, sono {name}. Come posso aiutarla?",
        greeting_from_company="Buongiorno, sono {name} di {company}. Come posso aiutarla?",
        recording="Questa chiamata viene registrata.",
        not_recorded="Va bene, questa chiamata non viene registrata.",
        nudge="È ancora in linea?",
        say_again="Mi scusi, potrebbe ripetere, per favore?",
        one_moment="Un momento, per favore.",
        no_promise="Su questo non posso promettere nulla.",
        not_done="Mi dispiace, c'è stato un errore e non ho potuto inoltrarlo.",
        goodbye="Grazie per la chiamata. Arrivederci.",
        time_is_up="Mi dispiace, il tempo è finito. Grazie per la chiamata. Arrivederci.",
        silence="Non la sento, quindi ora chiudo la chiamata. Arrivederci.",
        interruption_of_service="Mi dispiace, ora devo terminare la chiamata. La prego di "
        "richiamare più tardi.",
    ),
    "nl": _Phrases(
        greeting="Goedendag, u spreekt met {name}. Hoe kan ik u helpen?",
        greeting_from_company="Goedendag, u spreekt met {name} van {company}. Hoe kan ik u helpen?",
        recording="Dit gesprek wordt opgenomen.",
        not_recorded="Goed, dit gesprek wordt niet opgenomen.",
        nudge="Bent u er nog?",
        say_again="Sorry, kunt u dat alstublieft herhalen?",
        one_moment="Een moment, alstublieft.",
        no_promise="Daar kan ik niets over toezeggen.",
        not_done="Sorry, er ging iets mis, dus ik kon dat niet doorgeven.",
        goodbye="Bedankt voor uw telefoontje. Tot ziens.",
        time_is_up="Sorry, onze tijd is om. Bedankt voor uw telefoontje. Tot ziens.",
        silence="Ik kan u niet horen, dus ik hang nu op. Tot ziens.",
        interruption_of_service="Sorry, ik moet dit gesprek nu beëindigen. Belt u later "
        "alstublieft nog eens.",
    ),
    "pl": _Phrases(
        greeting="Dzień dobry, mówi {name}. W czym mogę pomóc?",
        greeting_from_company="Dzień dobry, mówi {name} z firmy {company}. W czym mogę pomóc?",
        recording="Ta rozmowa jest nagrywana.",
        not_recorded="Dobrze, ta rozmowa nie jest nagrywana.",
        nudge="Czy nadal mnie słychać?",
        say_again="Przepraszam, czy można to powtórzyć?",
        one_moment="Chwileczkę, proszę.",
        no_promise="Nie mogę niczego w tej sprawie obiecać.",
        not_done="Przepraszam, wystąpił błąd i nie udało się tego przekazać.",
        goodbye="Dziękuję za telefon. Do widzenia.",
        time_is_up="Przepraszam, nasz czas się skończył. Dziękuję za telefon. Do widzenia.",
        silence="Nic nie słyszę, więc kończę rozmowę. Do widzenia.",
        interruption_of_service="Przepraszam, muszę teraz zakończyć rozmowę. Proszę zadzwonić "
        "później.",
    ),
    "pt": _Phrases(
        greeting="Olá, aqui é {name}. Como posso ajudar?",
        greeting_from_company="Olá, aqui é {name}, de {company}. Como posso ajudar?",
        recording="Esta chamada é gravada.",
        not_recorded="Certo, esta chamada não é gravada.",
        nudge="Ainda está na linha?",
        say_again="Desculpe, pode repetir, por favor?",
        one_moment="Um momento, por favor.",
        no_promise="Não posso prometer nada sobre isso.",
        not_done="Desculpe, ocorreu um erro e não consegui transmitir isso.",
        goodbye="Agradeço a sua chamada. Até logo.",
        time_is_up="Desculpe, o nosso tempo acabou. Agradeço a sua chamada. Até logo.",
        silence="Não consigo ouvir, por isso vou desligar. Até logo.",
        interruption_of_service="Desculpe, tenho de terminar a chamada agora. Ligue novamente "
        "mais tarde, por favor.",
    ),
}

_CUT_OFF = frozenset(
    {
        EndReason.INSUFFICIENT_FUNDS,
        EndReason.SERVER_SHUTDOWN,
        EndReason.NO_PROVIDER_CONNECTED,
        EndReason.SESSION_INIT_FAILED,
        EndReason.SESSION_START_FAILED,
        EndReason.SESSION_ERROR,
    }
)
"""What neither caller nor agent wanted: the agent's own goodbye would sound cheerful."""


def greeting(locale: str, name: str, company: str | None = None) -> str:
    """The first sentence of an agent without an opener."""
    phrases = _phrases(locale)
    if company:
        return phrases.greeting_from_company.format(name=name, company=company)
    return phrases.greeting.format(name=name)


def has_phrases(locale: str) -> bool:
    """Whether these sentences exist in the language of ``locale``. If not, they are English."""
    return primary_language(locale) in _PHRASES


def languages() -> tuple[str, ...]:
    """The primary languages in which these sentences exist."""
    return tuple(_PHRASES)


def apology(locale: str) -> str:
    """The platform's last sentence when the agent cannot go on."""
    return _phrases(locale).interruption_of_service


def nudge(plan: CallPlan) -> str:
    """Said when the caller has been silent for ``limits.silence_prompt_seconds``."""
    return _phrases(plan.locale).nudge


def say_again(plan: CallPlan) -> str:
    """Said when no language model has answered the caller's last words, or no recogniser has
    understood any."""
    return _phrases(plan.locale).say_again


def one_moment(locale: str) -> str:
    """Said to a caller who speaks while a tool is still at work."""
    return _phrases(locale).one_moment


def no_promise(locale: str) -> str:
    """Said in place of what the agent must not claim."""
    return _phrases(locale).no_promise


def not_done(locale: str) -> str:
    """Said when the agent's owner could not be told what the caller has asked for."""
    return _phrases(locale).not_done


def recording_announcement(plan: CallPlan) -> str:
    """Said before anything is recorded, if consent is required."""
    return _phrases(plan.locale).recording


def not_recorded(plan: CallPlan) -> str:
    """Said to somebody who does not want to be recorded."""
    return _phrases(plan.locale).not_recorded


def farewell(plan: CallPlan, end_reason: EndReason) -> str:
    """The last sentence before the platform or the agent ends the call."""
    phrases = _phrases(plan.locale)
    if end_reason in _CUT_OFF:
        return phrases.interruption_of_service
    if end_reason is EndReason.MAX_CALL_DURATION:
        return phrases.time_is_up
    if end_reason in (EndReason.SILENCE_TIMEOUT, EndReason.SILENCE_DEAD_AIR):
        return phrases.silence
    written = fill_template(plan.agent.playbook.end_call_message or "", plan.variables).strip()
    return written or phrases.goodbye


def _phrases(locale: str) -> _Phrases:
    return _PHRASES.get(primary_language(locale), _PHRASES["en"])
