/** The agent in text: what it would say in a call, at once and free. */

import {
  api, buttons, card, checkField, choiceField, code, div, facts, fill, formOf, hint, li, ol, p, parts, press, quiet,
  sentence, textField,
} from "../../kit.js";

const OUTCOMES = { would_call: "Would call", done: "Called", failed: "Failed to call" };

function toolLine({ name, arguments: given, outcome, result }) {
  const shown = `${name}(${Object.keys(given).length ? JSON.stringify(given) : ""})`;
  return hint(`${OUTCOMES[outcome]} `, code(shown), result && ` → ${result}`);
}

const turn = ({ role, text, tools }) =>
  li(
    { "data-speaker": role === "agent" ? "agent" : "user" },
    div(p({ class: "who" }, role === "agent" ? "Agent" : "You"), tools.map(toolLine), p({ class: "said", dir: "auto" }, text)),
  );

function details({ provider, model, locale, agent_version: version, collected }) {
  const about = [
    ["Version", version === null ? "The draft" : `Version ${version}`],
    ["Answers come from", provider === "local" ? "The offline engine" : `${sentence(provider)} ${model}`],
    ["Language", locale],
  ];
  const slots = Object.entries(collected).map(([name, value]) => [sentence(name), value]);
  return [
    slots.length > 0 && card("Collected", facts(slots)),
    card("Details", facts(about)),
  ];
}

/** A chat that has begun. `again` begins another one. */
function conversation(chat, address, again) {
  const list = ol(
    { class: "turns chat", tabindex: "0", "aria-live": "polite", "aria-relevant": "additions", "aria-label": "Conversation" },
    chat.messages.map(turn),
  );
  const aside = parts(details(chat));
  const foot = parts();
  const message = textField("text", "Your message", { maxlength: 4000, autocomplete: "off" });

  const over = [p({ role: "status" }, "The agent has ended the chat."), buttons(press("Chat again", again))];

  async function say({ text }) {
    const mine = list.appendChild(turn({ role: "caller", text, tools: [] }));
    mine.scrollIntoView({ block: "nearest" });
    try {
      const { reply, session } = await api.post(`${address}/${chat.id}/messages`, { text });
      list.append(turn(reply));
      list.scrollTop = list.scrollHeight;
      fill(aside, details(session));
      message.set("");
      if (session.status === "ended") fill(foot, over);
      else message.focus();
    } catch (error) {
      // Nothing was stored: the message is still in its field, to be sent again.
      mine.remove();
      throw error;
    }
  }

  fill(foot, formOf([message], say, { words: "Send", extra: [press("Start over", again)] }));
  return div(
    { class: "columns wide-left" },
    card("Chat", chat.warnings.map((warning) => hint(warning)), list, foot),
    aside,
  );
}

export async function tab({ agent, signal }) {
  const address = `/v1/agents/${agent.id}/chat-sessions`;
  const place = parts();
  let open = null;

  /** A tenant has only so many chats at once. One that stays behind expires by itself. */
  function forget() {
    if (open) api.delete(`${address}/${open}`).catch(() => undefined);
    open = null;
  }

  function choose() {
    forget();
    const version = choiceField("version", "Chat with", [
      ["draft", "The agent as it was last saved"],
      ...(agent.published_version ? [["published", `Version ${agent.published_version}, which takes calls`]] : []),
    ]);
    const runTools = checkField("run_tools", "Call its webhooks for real", {
      hint: "Otherwise the chat only says what the agent would call.",
    });
    const begin = async (wanted) => {
      const chat = await api.post(address, wanted, { signal });
      open = chat.id;
      fill(place, conversation(chat, address, choose));
      place.querySelector("input")?.focus();
    };
    fill(
      place,
      card(
        `Chat with ${agent.name}`,
        quiet("What the agent would say in a call, in text. It costs nothing and needs no microphone."),
        formOf([version, runTools], begin, { words: "Start the chat" }),
      ),
    );
  }

  signal.addEventListener("abort", forget);
  choose();
  return place;
}
