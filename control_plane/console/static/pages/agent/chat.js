/** The agent in text: what it would say in a call, at once and free. */

import { checkField, choiceField, textField } from "../../components/fields.js";
import { formOf } from "../../components/form.js";
import { api } from "../../core/api.js";
import { fill, tags } from "../../core/elements.js";
import { sentence } from "../../core/format.js";

const { button, code, dd, div, dl, dt, h2, li, ol, p, section } = tags;

const OUTCOMES = { would_call: "Would call", done: "Called", failed: "Failed to call" };

function toolLine({ name, arguments: given, outcome, result }) {
  const shown = `${name}(${Object.keys(given).length ? JSON.stringify(given) : ""})`;
  return p({ class: "hint" }, `${OUTCOMES[outcome]} `, code(shown), result && ` → ${result}`);
}

const turn = ({ role, text, tools }) =>
  li(
    { "data-speaker": role === "agent" ? "agent" : "user" },
    div(p({ class: "who" }, role === "agent" ? "Agent" : "You"), tools.map(toolLine), p({ class: "said" }, text)),
  );

function details({ provider, model, locale, agent_version: version, collected }) {
  const facts = [
    ["Version", version === null ? "The draft" : `Version ${version}`],
    ["Answers come from", provider === "local" ? "The offline engine" : `${sentence(provider)} ${model}`],
    ["Language", locale],
  ];
  const list = (pairs) => dl({ class: "facts" }, pairs.map(([term, value]) => [dt(term), dd(value)]));
  const slots = Object.entries(collected).map(([name, value]) => [sentence(name), value]);
  return [
    slots.length > 0 && section({ class: "card" }, h2("Collected"), list(slots)),
    section({ class: "card" }, h2("Details"), list(facts)),
  ];
}

/** A chat that has begun. `again` begins another one. */
function conversation(chat, address, again) {
  const list = ol(
    { class: "turns chat", tabindex: "0", "aria-live": "polite", "aria-relevant": "additions", "aria-label": "Conversation" },
    chat.messages.map(turn),
  );
  const aside = div({ class: "sections" }, details(chat));
  const foot = div({ class: "sections" });
  const message = textField("text", "Your message", { required: true, maxlength: 4000, autocomplete: "off" });
  const renew = (words) => button({ type: "button", onclick: again }, words);

  const over = [p({ role: "status" }, "The agent has ended the chat."), div({ class: "buttons" }, renew("Chat again"))];

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

  fill(foot, formOf([message], say, { words: "Send", extra: [renew("Start over")] }));
  return div(
    { class: "columns wide-left" },
    section({ class: "card" }, h2("Chat"), chat.warnings.map((warning) => p({ class: "hint" }, warning)), list, foot),
    aside,
  );
}

export async function tab({ agent, signal }) {
  const address = `/v1/agents/${agent.id}/chat-sessions`;
  const place = div({ class: "sections" });
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
      section(
        { class: "card" },
        h2(`Chat with ${agent.name}`),
        p({ class: "quiet" }, "What the agent would say in a call, in text. It costs nothing and needs no microphone."),
        formOf([version, runTools], begin, { words: "Start the chat" }),
      ),
    );
  }

  signal.addEventListener("abort", forget);
  choose();
  return place;
}
