/** The call as files of the person's own. */

import { tags } from "../../core/elements.js";

const { a, button } = tags;

function save(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  a({ href: address, download: name }).click();
  URL.revokeObjectURL(address);
}

export const exportButtons = (call) => [
  call.transcript.text &&
    button(
      { type: "button", onclick: () => save(`call-${call.id}.txt`, "text/plain", `${call.transcript.text}\n`) },
      "Transcript",
    ),
  button(
    {
      type: "button",
      onclick: () => save(`call-${call.id}.json`, "application/json", JSON.stringify(call, null, 2)),
    },
    "Export JSON",
  ),
];
