/** The call as files of the person's own. */

import { a, press } from "../../kit.js";

function save(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  a({ href: address, download: name }).click();
  URL.revokeObjectURL(address);
}

export const exportButtons = (call) => [
  call.transcript.text && press("Transcript", () => save(`call-${call.id}.txt`, "text/plain", `${call.transcript.text}\n`)),
  press("Export JSON", () => save(`call-${call.id}.json`, "application/json", JSON.stringify(call, null, 2))),
];
