/** What the API finds in an agent, and what to do about it. */

import { tags } from "../../kit.js";

const { code, li, p, strong, ul } = tags;

/** `kind` is `blocker` or `warning`. */
export const findingList = (findings, kind) =>
  findings.length > 0 &&
  ul(
    { class: "findings" },
    findings.map(({ field, message, fix }) =>
      li({ class: kind }, strong(message), p(fix), code(field)),
    ),
  );
