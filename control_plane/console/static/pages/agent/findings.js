/** What the API finds in an agent, and what to do about it. */

import { code, li, p, tags, ul } from "../../kit.js";

/** `kind` is `blocker` or `warning`. */
export const findingList = (findings, kind) =>
  findings.length > 0 &&
  ul(
    { class: "findings" },
    findings.map(({ field, message, fix }) =>
      li({ class: kind }, tags.strong(message), p(fix), code(field)),
    ),
  );
