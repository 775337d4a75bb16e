/** Looking a question up in the agent's sources, as calls do. */

import { api, card, div, fill, formOf, h3, headWith, hint, li, number, ol, p, quiet, textField } from "../../kit.js";

const scores = ({ score, similarity, word_score: words }) =>
  score !== undefined && hint(`Score ${number(score)} · meaning ${number(similarity)} · words ${number(words)}`);

const item = (passage) => li(headWith(h3(passage.context), scores(passage)), p({ class: "passage" }, passage.text));

/** @param passages as the API lists them, or finds them with scores. */
export const passageList = (passages) => ol({ class: "findings" }, passages.map(item));

export function searchCard(path) {
  const place = div({ role: "status" });
  const question = textField("question", "Question", { type: "search", maxlength: 1000, hint: "As a caller would ask it." });
  const search = async (given) => {
    const { results } = await api.post(`${path}/search`, given);
    fill(place, results.length ? passageList(results) : quiet("Nothing is found."));
  };
  return card("What calls find", formOf([question], search, { words: "Search" }), place);
}
