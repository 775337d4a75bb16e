"""Questions and fixed phrases in languages other than English.

In these languages the playbook engine reads out a slot's description word for word, so each
question has to be a complete sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from contracts.agent_config import RequiredSlot


@dataclass(frozen=True)
class Wording:
    opener: str
    """Contains ``{company}``."""
    opener_without_company: str
    closing: str
    farewell: str
    questions: dict[str, str]
    """By slot name."""
    words: dict[str, str]
    """By slot name: the pattern that finds the slot in a prompt in this language."""
    booking: str
    """The pattern that says that callers book something."""


_ORDER = ("name", "party_size", "day", "time", "phone_number", "email", "address", "problem")
_WORDINGS = {
    "de": Wording(
        opener="Guten Tag, hier ist der automatische Assistent von {company}. Wie kann ich Ihnen "
        "helfen?",
        opener_without_company="Guten Tag, hier spricht der automatische Assistent. Wie kann ich "
        "Ihnen helfen?",
        closing="Vielen Dank, ich habe alles notiert.",
        farewell="Vielen Dank für Ihren Anruf. Auf Wiederhören.",
        questions={
            "name": "Wie ist Ihr Name?",
            "party_size": "Für wie viele Personen?",
            "day": "Welcher Tag passt Ihnen?",
            "time": "Welche Uhrzeit passt Ihnen?",
            "phone_number": "Unter welcher Telefonnummer erreichen wir Sie?",
            "email": "Wie lautet Ihre E-Mail-Adresse?",
            "address": "Wie lautet die Adresse?",
            "problem": "Worum geht es?",
        },
        words={
            "name": r"\bnamen?\b",
            "party_size": r"personen(?:zahl)?|gäste|wie viele",
            "day": r"\btag(?:e|es)?\b|datum|termin\b",
            "time": r"uhrzeit|\bzeit\b|\buhr\b",
            "phone_number": r"telefon|handy|rückruf|nummer",
            "email": r"e-?mail",
            "address": r"(?<!mail-)(?<!mail)adresse",
            "problem": r"problem|anliegen|grund|schaden|nachricht",
        },
        booking=r"reserv|termin|buch",
    ),
    "es": Wording(
        opener="Hola, soy el asistente automático de {company}. ¿En qué puedo ayudarle?",
        opener_without_company="Hola, soy el asistente automático. ¿En qué puedo ayudarle?",
        closing="Gracias, lo he anotado todo.",
        farewell="Gracias por llamar. Adiós.",
        questions={
            "name": "¿Cómo se llama usted?",
            "party_size": "¿Para cuántas personas?",
            "day": "¿Qué día le viene bien?",
            "time": "¿A qué hora le viene bien?",
            "phone_number": "¿A qué número de teléfono podemos llamarle?",
            "email": "¿Cuál es su correo electrónico?",
            "address": "¿Cuál es la dirección?",
            "problem": "¿De qué se trata?",
        },
        words={
            "name": r"\bnombre",
            "party_size": r"personas|comensales|cuánt[oa]s",
            "day": r"\bdía|fecha",
            "time": r"\bhora",
            "phone_number": r"teléfono|móvil|celular",
            "email": r"correo|e-?mail",
            "address": r"direcci[oó]n",
            "problem": r"problema|motivo|mensaje|avería",
        },
        booking=r"reserv|cita|agend",
    ),
    "fr": Wording(
        opener="Bonjour, ici l'assistant automatique de {company}. Comment puis-je vous aider ?",
        opener_without_company="Bonjour, ici l'assistant automatique. Comment puis-je vous aider ?",
        closing="Merci, j'ai tout noté.",
        farewell="Merci de votre appel. Au revoir.",
        questions={
            "name": "Quel est votre nom ?",
            "party_size": "Pour combien de personnes ?",
            "day": "Quel jour vous convient ?",
            "time": "À quelle heure ?",
            "phone_number": "À quel numéro de téléphone pouvons-nous vous joindre ?",
            "email": "Quelle est votre adresse e-mail ?",
            "address": "Quelle est l'adresse ?",
            "problem": "De quoi s'agit-il ?",
        },
        words={
            "name": r"\bnom\b",
            "party_size": r"personnes|couverts|combien",
            "day": r"\bjour\b|\bdate\b",
            "time": r"\bheure",
            "phone_number": r"téléphone|portable|numéro",
            "email": r"e-?mail|courriel",
            "address": r"(?<!mail )adresse(?! e-?mail)",
            "problem": r"problème|motif|raison|message|panne",
        },
        booking=r"réserv|rendez-vous",
    ),
    "it": Wording(
        opener="Buongiorno, sono l'assistente automatico di {company}. Come posso aiutarla?",
        opener_without_company="Buongiorno, sono l'assistente automatico. Come posso aiutarla?",
        closing="Grazie, ho annotato tutto.",
        farewell="Grazie per la chiamata. Arrivederci.",
        questions={
            "name": "Come si chiama?",
            "party_size": "Per quante persone?",
            "day": "Quale giorno preferisce?",
            "time": "A che ora?",
            "phone_number": "A quale numero di telefono possiamo richiamarla?",
            "email": "Qual è il suo indirizzo e-mail?",
            "address": "Qual è l'indirizzo?",
            "problem": "Di che cosa si tratta?",
        },
        words={
            "name": r"\bnome\b",
            "party_size": r"persone|coperti|quant[ie]",
            "day": r"\bgiorno|\bdata\b",
            "time": r"\bora\b|orario",
            "phone_number": r"telefono|cellulare|numero",
            "email": r"e-?mail",
            "address": r"indirizzo(?! e-?mail)",
            "problem": r"problema|motivo|messaggio|guasto",
        },
        booking=r"prenot|appuntament",
    ),
    "pt": Wording(
        opener="Olá, aqui é o assistente automático de {company}. Como posso ajudar?",
        opener_without_company="Olá, aqui é o assistente automático. Como posso ajudar?",
        closing="Obrigado, anotei tudo.",
        farewell="Obrigado pela ligação. Até logo.",
        questions={
            "name": "Qual é o seu nome?",
            "party_size": "Para quantas pessoas?",
            "day": "Qual dia fica bom para você?",
            "time": "A que horas?",
            "phone_number": "Qual é o seu número de telefone?",
            "email": "Qual é o seu e-mail?",
            "address": "Qual é o endereço?",
            "problem": "Do que se trata?",
        },
        words={
            "name": r"\bnome\b",
            "party_size": r"pessoas|quant[oa]s",
            "day": r"\bdia\b|\bdata\b",
            "time": r"\bhora|horário",
            "phone_number": r"telefone|celular",
            "email": r"e-?mail",
            "address": r"endereço",
            "problem": r"problema|motivo|mensagem|recado",
        },
        booking=r"reserv|agend|consulta",
    ),
    "hi": Wording(
        opener="नमस्ते, मैं {company} की स्वचालित सहायक हूँ। मैं आपकी क्या मदद कर सकती हूँ?",
        opener_without_company="नमस्ते, मैं स्वचालित सहायक हूँ। मैं आपकी क्या मदद कर सकती हूँ?",
        closing="धन्यवाद, मैंने सब नोट कर लिया है।",
        farewell="कॉल करने के लिए धन्यवाद। नमस्ते।",
        questions={
            "name": "आपका नाम क्या है?",
            "party_size": "कितने लोगों के लिए?",
            "day": "आपको कौन सा दिन ठीक रहेगा?",
            "time": "आपको कौन सा समय ठीक रहेगा?",
            "phone_number": "आपका फ़ोन नंबर क्या है?",
            "email": "आपका ईमेल पता क्या है?",
            "address": "पता क्या है?",
            "problem": "किस बारे में बात करनी है?",
        },
        words={
            "name": r"नाम",
            "party_size": r"लोग|व्यक्ति|कितने",
            "day": r"दिन|तारीख",
            "time": r"समय",
            "phone_number": r"फ़ोन|फोन|मोबाइल",
            "email": r"ईमेल",
            "address": r"(?<!ईमेल )पता",
            "problem": r"समस्या|कारण|संदेश",
        },
        booking=r"बुक|अपॉइंटमेंट|आरक्षण",
    ),
}


def wording_for(language: str) -> Wording | None:
    """``None`` for English and for languages without an entry here."""
    return _WORDINGS.get(language.split("-")[0].lower())


def slots_in(prompt: str, wording: Wording) -> tuple[RequiredSlot, ...]:
    """The slots that a prompt in the language asks for, in the order in which it names them."""
    lowered = prompt.lower()
    places = {
        name: match.start()
        for name in _ORDER
        if (match := re.search(wording.words[name], lowered)) is not None
    }
    names = sorted(places, key=lambda name: places[name])
    if re.search(wording.booking, lowered):
        names += [name for name in ("day", "time", "name") if name not in names]
    elif not names:
        names = ["name", "problem", "phone_number"]
    return tuple(RequiredSlot(name=name, description=wording.questions[name]) for name in names)


def translated(slot: RequiredSlot, wording: Wording) -> RequiredSlot:
    """The slot with its question in the language, if there is one."""
    question = wording.questions.get(slot.name)
    return slot.model_copy(update={"description": question}) if question else slot
