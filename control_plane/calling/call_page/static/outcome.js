/** What came of a call: how long it took, its summary, its recording, and what the person thinks. */

const EVERY_MS = 2000;
const LIMIT_MS = 120000;

const element = (id) => document.getElementById(id);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class Outcome {
  /**
   * @param {string} call the call's id
   * @param {object} participant the headers with the participant's access token
   * @param {string | null} key the publishable key that made the call; without it nobody is asked
   */
  constructor(call, participant, key) {
    this.call = call;
    this.participant = participant;
    this.key = key;
    this.isShown = false;
    this.rating = null;
  }

  static hide() {
    element("outcome").hidden = true;
  }

  /** Shows what is known, and asks again until nothing more will come. */
  async follow() {
    this.isShown = true;
    element("outcome").hidden = false;
    element("duration").textContent = "…";
    element("summary-row").hidden = true;
    element("recording-row").hidden = true;
    this.#askForFeedback();
    const deadline = performance.now() + LIMIT_MS;
    while (this.isShown && performance.now() < deadline) {
      const found = await this.#found();
      if (!this.isShown) return;
      if (found && this.#show(found)) return;
      await pause(EVERY_MS);
    }
    if (this.isShown) this.#giveUp();
  }

  /** Another call begins. */
  stop() {
    this.isShown = false;
    element("recording").pause();
    Outcome.hide();
  }

  async #found() {
    try {
      const path = `/v1/rtc/${encodeURIComponent(this.call)}`;
      const response = await fetch(path, { headers: this.participant });
      return response.ok ? await response.json() : null;
    } catch {
      return null;
    }
  }

  /** Returns whether nothing more will come. */
  #show({ ended_at: end, duration_seconds: seconds, intelligence_status: analysis, ...found }) {
    if (!end) return false;
    element("duration").textContent = spelledOut(seconds);
    const isAnalysed = analysis !== "pending";
    element("summary-row").hidden = isAnalysed && !found.summary;
    element("summary").textContent = found.summary ?? "It is being written …";
    const isRecorded = this.#showRecording(found.recording);
    return isAnalysed && isRecorded;
  }

  #showRecording(recording) {
    const file = recording?.metadata.stereo_mix_ogg ?? recording?.metadata.stereo_mix;
    const player = element("recording");
    const isHere = file && new URL(file.signed_url, location.href).origin === location.origin;
    element("recording-row").hidden = !file;
    player.hidden = !isHere;
    element("recording-link").hidden = !file || Boolean(isHere);
    if (isHere && !player.src) player.src = new URL(file.signed_url, location.href).href;
    if (file) element("recording-link").href = file.signed_url;
    return recording?.status !== "processing";
  }

  #giveUp() {
    if (element("duration").textContent === "…") element("duration").textContent = "Not known yet";
    if (!element("summary-row").hidden) element("summary").textContent = "It is not there yet.";
  }

  #askForFeedback() {
    element("recording").removeAttribute("src");
    element("feedback").hidden = !this.key;
    element("feedback").reset();
    element("comment-row").hidden = true;
    element("feedback-note").textContent = "";
    this.#mark(null);
    for (const rating of ["up", "down"]) {
      element(`rate-${rating}`).onclick = () => this.#rate(rating);
    }
    element("feedback").onsubmit = (event) => {
      event.preventDefault();
      if (this.rating) this.#rate(this.rating);
    };
  }

  async #rate(rating) {
    this.#mark(rating);
    element("comment-row").hidden = false;
    const comment = element("comment").value.trim() || null;
    try {
      const response = await fetch(`/v1/calls/${encodeURIComponent(this.call)}/feedback`, {
        method: "PUT",
        headers: { Authorization: `Bearer ${this.key}`, "Content-Type": "application/json" },
        body: JSON.stringify({ rating, comment }),
      });
      if (!response.ok) throw new Error(response.statusText);
      if (this.isShown) element("feedback-note").textContent = "Thank you. It is saved.";
    } catch {
      if (this.isShown) element("feedback-note").textContent = "It could not be saved. Try again.";
    }
  }

  #mark(rating) {
    this.rating = rating;
    for (const each of ["up", "down"]) {
      element(`rate-${each}`).setAttribute("aria-pressed", String(each === rating));
    }
  }
}

function spelledOut(seconds) {
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  return minutes ? `${minutes} min ${whole % 60} s` : `${whole} s`;
}
