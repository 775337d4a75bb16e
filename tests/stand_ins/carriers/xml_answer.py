"""Reading the XML of Twilio's and Plivo's answers. Only what stands first is obeyed."""

from __future__ import annotations

from xml.etree import ElementTree

from tests.stand_ins.carriers.wire import DialPhone, End, Instruction, Play, Refuse, Stage


def elements(text: str) -> list[ElementTree.Element]:
    """
    Raises:
        ValueError: the carrier would refuse the document.
    """
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise ValueError(f"the answer is no XML: {error}") from error
    if root.tag != "Response":
        raise ValueError(f"the answer begins with {root.tag}")
    return list(root)


def common_instruction(found: list[ElementTree.Element]) -> Instruction | None:
    if not found:
        return End()
    first = found[0]
    match first.tag:
        case "Play":
            hangs_up = len(found) > 1 and found[1].tag == "Hangup"
            return Play(first.text or "", hangs_up or len(found) == 1)
        case "Dial":
            number = first.find("Number")
            assert number is not None
            return DialPhone(number.text or "", first.attrib["callerId"])
        case "Hangup" | "Reject" if "reason" in first.attrib or first.tag == "Reject":
            reason: Stage = "busy" if first.attrib.get("reason") == "busy" else "rejected"
            return Refuse(reason)
        case "Hangup":
            return End()
    return None
