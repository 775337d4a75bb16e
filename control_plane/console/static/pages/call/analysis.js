/** What was found in the call afterwards. */

import { badge, cardWith, h3, headWith, li, p, pre, quiet, sentence, ul } from "../../kit.js";

function evaluationPart({ passed, score, reasoning, criteria }) {
  const items = criteria.map((each) => li({ class: each.passed ? "" : "blocker" }, each.criterion, quiet(each.reasoning)));
  return [
    headWith(h3("Evaluation"), badge(passed ? "verified" : "failed", `${passed ? "Passed" : "Failed"} · ${Math.round(score * 100) / 100}`)),
    p(reasoning),
    items.length > 0 && ul({ class: "findings" }, items),
  ];
}

export function analysisCard(intelligence) {
  const { status, summary, sentiment, structured_data: data, evaluation, errors } = intelligence;
  const isEmpty = !summary && !data && !evaluation && !errors.length;
  return cardWith(
    "Analysis",
    sentiment ? badge("plain", sentence(sentiment)) : badge(status),
    isEmpty && quiet(["pending", "processing"].includes(status) ? "It comes in a moment." : "There is none."),
    summary && p(summary),
    data && [h3("Read from the call"), pre({ tabindex: "0", role: "region", "aria-label": "Read from the call" }, JSON.stringify(data, null, 2))],
    evaluation && evaluationPart(evaluation),
    errors.map(({ message }) => p({ class: "fault" }, message)),
  );
}
