/**
 * The call page: asks for the microphone, creates the call with a publishable key or through a public
 * link, or joins one with a participant's access token, connects with one SDP offer and answer (WHIP, RFC 9725), and shows the
 * call as the data channel `events` tells it. When the connection is lost it makes new ones, each with
 * an offer and an answer of its own.
 */

import { endWords } from "./end_words.js";
import { agentId, checkLink, invitation, key, share } from "./link.js";
import { Meter } from "./level_meter.js";
import { openMicrophone } from "./microphone.js";
import { Outcome } from "./outcome.js";
import { apiTrouble, CALL_OVER, isFinal, noRoom, request } from "./requests.js";
import { createSharedCall, look } from "./shared.js";
import { Transcript } from "./transcript.js";
import { Trouble } from "./trouble.js";
import { view } from "./view.js";
import { VoiceConnection } from "./voice_connection.js";

const CONNECTING_LIMIT_MS = 15000;
/** A browser may report a loss that is over a moment later, so wait this long first. */
const RECOVERY_MS = 1000;
/** The room waits 20 s from the last packet. Browsers notice its absence after some seconds. */
const RECONNECTING_LIMIT_MS = 18000;
const ATTEMPT_LIMIT_MS = 6000;
const ATTEMPT_PAUSES_MS = [500, 1000, 2000];
const LEAVING_LIMIT_MS = 2000;

const element = (id) => document.getElementById(id);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const withdrawn = (signal) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("withdrawn"))));

const transcript = new Transcript(element("transcript"));

async function createCall() {
  const response = await request("/v1/calls", {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({
      agent_id: agentId,
      participants: [{ transport: "webrtc", identity: `browser-${crypto.randomUUID()}` }],
    }),
  });
  return response.json();
}

/** Where to connect: a new call, or the one that the link invites into. */
async function placeOrJoin() {
  if (invitation) {
    const url = new URL(`/v1/rtc/${encodeURIComponent(invitation.call)}`, location.href).href;
    return { id: invitation.call, access: { url, token: invitation.token } };
  }
  if (share) return createSharedCall();
  const created = await createCall();
  return {
    id: created.id,
    agentName: created.agent.name,
    access: created.participants[0].access,
  };
}

// --- One call --------------------------------------------------------------------------------------

class Call {
  constructor(microphone) {
    this.#speakInto(microphone);
    this.resource = null;
    this.bearer = null;
    this.startedAt = null;
    this.over = false;
    this.reconnecting = false;
    /** The connection that is made in place of a lost one, and what withdraws its offer. */
    this.attempt = null;
    this.endReason = null;
    this.meters = {};
    this.people = new Set();
    this.name = crypto.randomUUID();
    this.offers = 0;
  }

  async connect() {
    const { id, agentName, access } = await placeOrJoin();
    this.bearer = { Authorization: `Bearer ${access.token}` };
    this.path = new URL(access.url).pathname;
    // Until there is a leg, the person leaves the call itself.
    this.resource = this.path;
    if (this.over) {
      this.#leave();
      return;
    }
    if (agentName) view.agent(agentName);
    document.body.dataset.call = id;
    this.outcome = new Outcome(id, this.bearer, invitation || share ? null : key);
    this.iceServers = await this.#findIceServers();
    if (this.over) return;
    this.connection = this.#newConnection();
    await this.connection.open((offer) => this.#firstExchange(offer));
    if (this.over) {
      this.#leave();
      return;
    }
    this.connectingTimer = setTimeout(() => this.#connectionFailed(), CONNECTING_LIMIT_MS);
  }

  async #findIceServers() {
    try {
      const response = await request(`${this.path}/ice-servers`, { headers: this.bearer });
      return (await response.json()).ice_servers;
    } catch (error) {
      // A server of an older release does not know this request.
      if (error.status === 404) return [];
      throw error;
    }
  }

  #newConnection() {
    return new VoiceConnection(this.microphone, this.iceServers, {
      heard: (stream) => this.#hear(stream),
      told: (message) => this.#told(message),
      changed: (connection) => this.#connectionChanged(connection),
    });
  }

  /** Sends the same offer again while no worker has room for it: a new call would hold more credit. */
  async #firstExchange(offer) {
    const deadline = performance.now() + CONNECTING_LIMIT_MS;
    for (;;) {
      try {
        return await this.#exchange(offer);
      } catch (error) {
        if (error.status !== 503) throw error;
        if (performance.now() + error.retryAfterMs > deadline) throw noRoom();
        await pause(error.retryAfterMs);
        if (this.over) throw error;
      }
    }
  }

  /** Sends the offer to the room and resolves to its answer. */
  async #exchange(offer, signal = null) {
    const response = await request(this.path, {
      method: "POST",
      headers: {
        ...this.bearer,
        "Content-Type": "application/sdp",
        // An offer that arrives after a later one would replace a newer connection.
        "Offer-Order": `${this.name}/${++this.offers}`,
      },
      body: offer,
      signal,
    });
    this.resource = response.headers.get("Location");
    return response.text();
  }

  #speakInto(microphone) {
    this.microphone = microphone;
    for (const track of microphone.getAudioTracks()) track.onended = () => this.#microphoneEnded(track);
  }

  /** A headset was unplugged, for example. The call goes on with another microphone. */
  async #microphoneEnded(ended) {
    try {
      const microphone = await openMicrophone();
      const [track] = microphone.getAudioTracks();
      if (this.over) {
        track.stop();
        return;
      }
      track.enabled = ended.enabled;
      this.#speakInto(microphone);
      const connections = [this.connection, this.attempt?.connection];
      await Promise.all(connections.map((each) => each?.speakWith(track)));
      if (this.startedAt !== null) this.#showOwnLevel();
      view.trouble(null);
    } catch (trouble) {
      if (!this.over) view.trouble(trouble);
    }
  }

  #showOwnLevel() {
    this.meters.user = new Meter(this.audioContext, this.microphone, "level-user");
  }

  mute(muted) {
    for (const track of this.microphone.getAudioTracks()) track.enabled = !muted;
  }

  /** Ends the call from this side. Safe to call at any time, any number of times. */
  end(status = endWords("participant_disconnected"), problem = null) {
    if (this.over) return;
    this.over = true;
    this.attempt?.withdrawal.abort();
    clearTimeout(this.connectingTimer);
    cancelAnimationFrame(this.frame);
    this.speaker?.pause();
    if (problem) this.#mayJoinAgain();
    // The goodbye first: a connection that closes before it looks like one that was lost.
    this.#leave().finally(() => this.connection?.close());
    this.audioContext?.close();
    for (const track of this.microphone.getTracks()) track.stop();
    for (const id of ["level-user", "level-agent"]) element(id).style.transform = "scaleX(0)";
    view.phase("over", status);
    view.trouble(problem);
    if (this.startedAt !== null) {
      shownOutcome = this.outcome;
      shownOutcome.follow();
    }
    if (current === this) current = null;
    if (share) look().catch(() => undefined);
  }

  /** The page is closed, or loaded again. */
  goAway() {
    this.#mayJoinAgain();
    this.end();
  }

  /** A call to which somebody was invited waits for them, unless they were in it. */
  #mayJoinAgain() {
    if (invitation && this.startedAt === null) this.resource = null;
  }

  async #leave() {
    if (!this.resource) return;
    const { pathname } = new URL(this.resource, location.href);
    this.resource = null;
    // keepalive lets the request outlive the page when the tab is closed.
    const goodbye = fetch(pathname, { method: "DELETE", headers: this.bearer, keepalive: true });
    const patience = new Promise((resolve) => setTimeout(resolve, LEAVING_LIMIT_MS));
    // The worker notices by itself that the media has stopped.
    await Promise.race([goodbye, patience]).catch(() => undefined);
  }

  #connectionChanged(connection) {
    if (connection !== this.connection || this.reconnecting || this.over) return;
    const { state } = connection;
    if (state === "connected" && this.startedAt === null) this.#connected();
    if (state === "disconnected" && this.startedAt !== null) this.#reconnect();
    if (state === "failed") this.startedAt === null ? this.#connectionFailed() : this.#reconnect();
    if (state === "closed") this.#hungUp();
  }

  /** Makes new connections until one is up, the call is over, or the room no longer waits. */
  async #reconnect() {
    this.reconnecting = true;
    const lost = this.connection;
    const deadline = performance.now() + RECONNECTING_LIMIT_MS;
    view.phase("reconnecting", "Reconnecting…");
    if (lost.state === "disconnected") await pause(RECOVERY_MS);
    // Closed by the room, so the call is over. After a new offer it would not mean that.
    if (lost.state === "closed") this.#hungUp();
    let isBack = lost.state === "connected";
    for (let attempt = 0; !isBack && !this.over && performance.now() < deadline; attempt++) {
      const connection = this.#newConnection();
      const withdrawal = new AbortController();
      this.attempt = { connection, withdrawal };
      try {
        await Promise.race([
          connection
            .open((offer) => this.#exchange(offer, withdrawal.signal))
            .then(() => connection.up),
          pause(ATTEMPT_LIMIT_MS).then(() => Promise.reject(new Error("no connection in time"))),
          withdrawn(withdrawal.signal),
        ]);
        this.connection = connection;
        lost.close();
        isBack = true;
      } catch (error) {
        connection.close();
        withdrawal.abort();
        if (error.status === CALL_OVER) this.#hungUp();
        if (this.over || isFinal(error.status)) break;
        await pause(ATTEMPT_PAUSES_MS[Math.min(attempt, ATTEMPT_PAUSES_MS.length - 1)]);
      }
    }
    this.attempt = null;
    this.reconnecting = false;
    if (this.over) this.#leave().finally(() => this.connection.close());
    else if (isBack) view.phase("live", "Connected");
    else this.#connectionFailed();
  }

  #connected() {
    clearTimeout(this.connectingTimer);
    this.startedAt = performance.now();
    view.phase("live", "Connected");
    this.audioContext ??= new AudioContext();
    this.#showOwnLevel();
    const draw = () => {
      for (const meter of Object.values(this.meters)) meter.draw();
      view.elapsed((performance.now() - this.startedAt) / 1000);
      this.frame = requestAnimationFrame(draw);
    };
    draw();
  }

  #hear(stream) {
    this.speaker?.pause();
    this.speaker = new Audio();
    this.speaker.srcObject = stream;
    this.speaker.play().catch(() =>
      view.trouble(
        new Trouble("Your browser blocked the sound", "Allow sound for this page and call again."),
      ),
    );
    this.audioContext ??= new AudioContext();
    this.meters.agent = new Meter(this.audioContext, stream, "level-agent");
  }

  #told(message) {
    switch (message.type) {
      case "transcript":
        transcript.utterance(message);
        break;
      case "latency":
        transcript.latency(message);
        break;
      case "agent.state":
        // Told before the room knew that the person has left.
        if (this.over) break;
        if (message.state === "speaking") view.speaking("agent");
        else if (document.body.dataset.speaking === "agent") view.speaking("");
        element("status").textContent =
          { listening: "Listening", thinking: "Thinking", speaking: "Speaking" }[message.state];
        break;
      case "user.state":
        if (this.over) break;
        if (message.state === "speaking") view.speaking("user");
        else if (document.body.dataset.speaking === "user") view.speaking("");
        break;
      case "participant.state":
        if (message.state === "connected" || message.may_return)
          this.people.add(message.participant_id);
        else this.people.delete(message.participant_id);
        if (!this.over) view.people(this.people.size);
        break;
      case "call.ended":
        this.endReason = message.end_reason;
        this.#hungUp();
        break;
    }
  }

  #hungUp() {
    this.end(endWords(this.endReason));
  }

  #connectionFailed() {
    this.end(
      "Not connected",
      new Trouble(
        "The connection failed",
        "The voice connection could not be made or was lost. A firewall or VPN may block UDP: try " +
          "another network, switch the VPN off, or ask the operator to set up a TURN server.",
      ),
    );
  }
}

// --- Buttons -----------------------------------------------------------------------------------------

let current = null;
/** Of the call before, while it is shown. */
let shownOutcome = null;

function setMuted(muted) {
  element("mute").setAttribute("aria-pressed", String(muted));
  element("mute").querySelector("span").textContent = muted ? "Unmute" : "Mute";
  current?.mute(muted);
}

/** Shows with whom the call will be, and at once what is wrong with the link. */
async function introduce() {
  try {
    checkLink();
    if (share) {
      const name = await look();
      if (name) view.agent(name);
      return;
    }
    const headers = { Authorization: `Bearer ${invitation ? invitation.token : key}` };
    const path = invitation
      ? `/v1/rtc/${encodeURIComponent(invitation.call)}`
      : `/v1/agents/${encodeURIComponent(agentId)}/card`;
    const found = await (await request(path, { headers })).json();
    view.agent(invitation ? found.agent.name : found.name);
    if (found.ended_at) throw apiTrouble(CALL_OVER, "It has ended", 0);
  } catch (error) {
    // The person may have begun meanwhile, and knows more.
    if (error instanceof Trouble && !current) view.trouble(error);
  }
}

async function start() {
  view.trouble(null);
  element("start").disabled = true;
  let call = null;
  try {
    checkLink();
    view.phase("asking", "Allow the microphone to begin");
    const microphone = await openMicrophone();
    transcript.clear();
    shownOutcome?.stop();
    shownOutcome = null;
    setMuted(false);
    view.elapsed(0);
    view.phase("connecting", "Connecting…");
    call = current = new Call(microphone);
    await call.connect();
  } catch (error) {
    const problem =
      error instanceof Trouble ? error : new Trouble("The call could not be placed", error.message);
    if (call) call.end("Not connected", problem);
    else {
      view.phase("idle", "Not connected");
      view.trouble(problem);
    }
  } finally {
    element("start").disabled = false;
  }
}

element("start").addEventListener("click", start);
element("end").addEventListener("click", () => current?.end());
element("mute").addEventListener("click", () =>
  setMuted(element("mute").getAttribute("aria-pressed") !== "true"),
);
introduce();
addEventListener("pagehide", () => current?.goAway());
