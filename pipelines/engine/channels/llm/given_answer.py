"""What the engine has got of one answer, from all the models that had a part in it. Pure."""

from __future__ import annotations

from livekit.agents import llm

from pipelines.engine.channels.llm.repeated_beginning import RepeatedBeginning
from pipelines.engine.channels.llm.whole_words import WholeWords
from pipelines.texts.utterance import SENTENCE_END

GO_ON = (
    "Your last message broke off before its end, and the user has heard all of it. Go on with the "
    "very next word. Do not repeat anything of it, and do not mention the break."
)
_BREAK = "… "
"""Between an answer that broke off and other words that do not continue it."""


class GivenAnswer:
    def __init__(self) -> None:
        self.text = ""
        """Whole words, and the space after them."""
        self.has_called_tool = False
        self._words = WholeWords()
        self._repeated: RepeatedBeginning | None = None
        self._is_anew = False

    def request(self, chat_ctx: llm.ChatContext) -> llm.ChatContext:
        """What a language model is asked, so that it goes on where the answer broke off."""
        if not self.text:
            return chat_ctx
        request = chat_ctx.copy()
        request.add_message(role="assistant", content=self.text.rstrip())
        request.add_message(role="system", content=GO_ON)
        return request

    def goes_on(self) -> None:
        """The next chunks come from a model that got ``request``."""
        self._words = WholeWords()
        self._repeated = RepeatedBeginning(self.text) if self.text else None

    def begins_anew(self) -> None:
        """The next chunks come from a model that knows nothing of this answer."""
        self._words = WholeWords()
        self._repeated = None
        self._is_anew = not self.may_end

    def apart(self, text: str) -> str:
        """``text`` of ours, after what was given."""
        return text if self.may_end else _BREAK + text

    @property
    def may_end(self) -> bool:
        """Whether nothing seems to be missing."""
        return not self.text or SENTENCE_END.search(self.text) is not None

    def take(self, chunk: llm.ChatChunk) -> llm.ChatChunk | None:
        """What of the chunk the engine gets now."""
        delta = chunk.delta
        if delta is None:
            return chunk
        text = self._words.take(delta.content) if delta.content else ""
        if delta.tool_calls:
            self.has_called_tool = True
            text = self._added(text) + self.rest()
        else:
            text = self._added(text)
        if text == (delta.content or ""):
            return chunk
        if not text and not delta.tool_calls and not delta.extra and chunk.usage is None:
            return None
        # Quicker than ``model_copy``, and this is done for nearly every word.
        cut = llm.ChoiceDelta(
            role=delta.role, content=text or None, tool_calls=delta.tool_calls, extra=delta.extra
        )
        return llm.ChatChunk(id=chunk.id, delta=cut, usage=chunk.usage)

    def rest(self) -> str:
        """What is held back when the model has said everything."""
        rest = self._added(self._words.rest())
        if self._repeated is not None:
            last = self._repeated.rest()
            self.text += last
            rest += last
        return rest

    def _added(self, text: str) -> str:
        if text and self._repeated is not None:
            text = self._repeated.take(text)
        if text and self._is_anew:
            text = _BREAK + text.lstrip()
            self._is_anew = False
        self.text += text
        return text
