/** The choice of a voice, with a button to hear it. */

import { api, buttons, choiceField, fill, icon, report, small } from "../../kit.js";

/** Voices of this machine sound the same everywhere, so they are recorded. */
const recorded = (id) => `/console/static/voices/${encodeURIComponent(id)}.ogg`;

/** Samples of providers cost their account something, so each is asked for once. */
const samples = new Map();

async function sample({ provider, id }) {
  if (provider === "local") return recorded(id);
  const name = `${provider}/${id}`;
  if (!samples.has(name)) {
    const sound = await api.blob("/v1/agents/voices/sample", { provider, id });
    samples.set(name, URL.createObjectURL(sound));
  }
  return samples.get(name);
}

/** @param voices as `GET /v1/agents/voices` lists them. */
export function voiceField(name, words, voices, signal) {
  const choices = voices.map(({ id, label, languages }) => [id, `${label} (${languages.join(", ")})`]);
  const field = choiceField(name, words, choices);
  const sound = new Audio();
  const listen = small("", toggle);

  const chosen = () => voices.find(({ id }) => id === field.value());

  async function toggle() {
    if (!sound.paused) return sound.pause();
    const voice = chosen();
    listen.disabled = true;
    try {
      sound.src = await sample(voice);
      if (voice === chosen()) await sound.play();
    } catch (error) {
      report(error);
    } finally {
      listen.disabled = false;
    }
  }

  const showState = () => fill(listen, icon(sound.paused ? "play" : "stop"), sound.paused ? "Listen" : "Stop");

  function showVoice() {
    sound.pause();
    listen.hidden = !chosen();
  }

  for (const change of ["play", "pause"]) sound.addEventListener(change, showState);
  signal.addEventListener("abort", () => sound.pause());
  field.node.addEventListener("change", showVoice);
  field.node.append(buttons(listen));
  showState();
  showVoice();
  return {
    ...field,
    set(value) {
      field.set(value);
      showVoice();
    },
  };
}
