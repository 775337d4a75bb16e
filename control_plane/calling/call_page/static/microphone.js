/** Asks the person for the microphone. */

import { Trouble } from "./trouble.js";

export async function openMicrophone() {
  if (!navigator.mediaDevices?.getUserMedia) {
    throw new Trouble(
      "This address cannot use the microphone",
      "Browsers allow the microphone only on https:// pages and on http://localhost or " +
        "http://127.0.0.1. Open the page through one of these.",
    );
  }
  try {
    return await navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true },
    });
  } catch (error) {
    throw microphoneTrouble(error);
  }
}

function microphoneTrouble(error) {
  switch (error.name) {
    case "NotAllowedError":
    case "SecurityError":
      return new Trouble(
        "The microphone is blocked",
        "Click the icon to the left of the page's address, allow the microphone for this site, and " +
          "start the call again. If it stays blocked, look in your system's privacy settings.",
      );
    case "NotFoundError":
    case "OverconstrainedError":
      return new Trouble(
        "No microphone was found",
        "Connect a microphone or headset, check that the system lists it as an input, and start " +
          "the call again.",
      );
    case "NotReadableError":
    case "AbortError":
      return new Trouble(
        "The microphone is in use",
        "Another program or tab holds the microphone. Close it and start the call again.",
      );
    default:
      return new Trouble("The microphone did not start", `${error.name}: ${error.message}`);
  }
}
