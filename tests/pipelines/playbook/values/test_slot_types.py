import pytest

from contracts.agent_config import QualificationQuestion, RequiredSlot
from pipelines.playbook.values.slot_types import Kind, fields, label_of, qualification_field


@pytest.mark.parametrize(
    ("name", "description", "kind"),
    [
        ("name", "The caller's first and last name", Kind.NAME),
        ("fullName", "", Kind.NAME),
        ("appointment_day", "Preferred day", Kind.DATE),
        ("check-in date", "", Kind.DATE),
        ("time", "", Kind.TIME),
        ("phone_number", "", Kind.PHONE),
        ("callback", "Phone to call back", Kind.PHONE),
        ("email", "", Kind.EMAIL),
        ("party_size", "", Kind.NUMBER),
        ("guests", "How many people", Kind.NUMBER),
        ("age", "", Kind.NUMBER),
        ("budget", "", Kind.AMOUNT),
        ("newPatient", "Whether the caller is new", Kind.YES_NO),
        ("reason", "Reason, e.g. cleaning, check-up or toothache", Kind.CHOICE),
        ("reason", "Why they call", Kind.TEXT),
        ("company name", "", Kind.TEXT),
    ],
)
def test_the_kind_follows_from_name_and_description(
    name: str, description: str, kind: Kind
) -> None:
    assert fields(RequiredSlot(name=name, description=description))[0].kind is kind


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("appointmentDay", "appointment day"),
        ("größe_desTisches", "größe des tisches"),
        ("имяКлиента", "имя клиента"),
        ("पूरा_नाम", "पूरा नाम"),
        ("ชื่อ-ลูกค้า", "ชื่อ ลูกค้า"),
        ("顧客の名前", "顧客の名前"),
        ("رقم_الهاتف", "رقم الهاتف"),
    ],
)
def test_names_of_every_script_are_said_whole(name: str, label: str) -> None:
    assert label_of(name) == label


def test_a_slot_for_day_and_time_is_asked_in_two_steps() -> None:
    both = fields(RequiredSlot(name="appointment", description="Date and time of the visit"))
    assert [field.kind for field in both] == [Kind.DATE, Kind.TIME]
    assert {field.slot for field in both} == {"appointment"}


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Have you been to our clinic before?", Kind.YES_NO),
        ("Great. Do you have insurance?", Kind.YES_NO),
        ("Are you a new patient or a returning one?", Kind.TEXT),
        ("What brings you in?", Kind.TEXT),
    ],
)
def test_qualification_questions_are_yes_no_or_free(question: str, kind: Kind) -> None:
    assert qualification_field(0, QualificationQuestion(question=question)).kind is kind
