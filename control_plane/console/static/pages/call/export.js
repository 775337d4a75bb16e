/** The call as files of the person's own. */

import { press, tags } from "../../kit.js";

function save(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  tags.a({ href: address, download: name }).click();
  URL.revokeObjectURL(address);
}

export const exportButtons = (call) => [
  call.transcript.text && press("Transcript", () => save(`call-${call.id}.txt`, "text/plain", `${call.transcript.text}\n`)),
  press("Export JSON", () => save(`call-${call.id}.json`, "application/json", JSON.stringify(call, null, 2))),
];
