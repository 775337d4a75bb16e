/** A new agent, from a description or empty. */

import {
  api, card, div, fill, formOf, h2, longTextField, navigate, pageHead, press, quiet, section, span, tags, tell,
  textField,
} from "../../kit.js";
import { EXAMPLES } from "./examples.js";

async function create(draft) {
  const { id } = await api.post("/v1/agents", draft);
  navigate(`/console/agents/${id}`);
}

/** Asks what the description leaves open; the answers are added to it. */
function questionsForm(prompt, questions) {
  const fields = questions.map((question, index) => longTextField(`answer-${index}`, question, { rows: 2 }));
  const answered = async (answers) => {
    const added = questions
      .map((question, index) => [question, answers[`answer-${index}`]])
      .filter(([, answer]) => answer)
      .map(([question, answer]) => `${question} ${answer}`);
    await generate([prompt, ...added].join("\n"), null);
  };
  return [h2("A few questions first"), formOf(fields, answered, { words: "Create the agent" })];
}

/** `place` is where questions are asked; without it there are none. */
async function generate(prompt, place) {
  const made = await api.post("/v1/agents/generate", {
    prompt,
    allow_clarifying_questions: place !== null,
  });
  if (!made.generated) {
    fill(place, questionsForm(prompt, made.clarifying_questions));
    place.querySelector("textarea")?.focus();
    return;
  }
  await create(made.draft);
  for (const warning of made.warnings) tell(warning);
}

function describeCard() {
  const place = section({ class: "card" });
  const words = longTextField("prompt", "What should the agent do?", {
    rows: 6,
    required: true,
    hint: "Who it is, for whom it works, what it asks for. A whole prompt is fine, too.",
  });
  const describe = ({ prompt }) => generate(prompt, place);
  const use = (example) => {
    words.set(example);
    words.focus();
  };
  const examples = EXAMPLES.map(([title, about, example]) => press([span(title), tags.small(about)], () => use(example)));
  return fill(
    place,
    h2("Describe it"),
    div({ class: "field" }, span({ class: "label" }, "Begin with an example"), div({ class: "choices" }, examples)),
    formOf([words], describe, { words: "Create the agent" }),
  );
}

function emptyCard() {
  const name = textField("name", "Name", { maxlength: 500 });
  return card(
    "Or begin empty",
    quiet("You fill in everything yourself."),
    formOf([name], create, { words: "Create an empty agent", kind: "" }),
  );
}

export async function page() {
  return [pageHead("New agent"), div({ class: "columns wide-left" }, describeCard(), emptyCard())];
}
