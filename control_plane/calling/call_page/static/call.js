/**
 * The call page: asks for the microphone, creates the call with a publishable key or joins one with a
 * participant's access token, connects with one SDP offer and answer (WHIP, RFC 9725), and shows the
 * call as the data channel `events` tells it. When the connection is lost it makes new ones, each with
 * an offer and an answer of its own.
 */

import { VoiceConnection } from "./voice_connection.js";

const CONNECTING_LIMIT_MS = 15000;
/** A browser may report a loss that is over a moment later, so wait this long first. */
const RECOVERY_MS = 1000;
/** The room waits 20 s from the last packet. Browsers notice its absence after some seconds. */
const RECONNECTING_LIMIT_MS = 18000;
const ATTEMPT_LIMIT_MS = 6000;
const ATTEMPT_PAUSES_MS = [500, 1000, 2000];
const LEAVING_LIMIT_MS = 2000;
/** For an answer 503 that does not say when to ask again. */
const RETRY_MS = 2000;

/** The status of the answer to an offer for a call that is over. */
const CALL_OVER = 410;

const element = (id) => document.getElementById(id);
const agentId = new URLSearchParams(location.search).get("agent");
const secrets = new URLSearchParams(location.hash.slice(1));
const key = secrets.get("key");

/** The call that this link invites into, if it is an invitation. */
const invitation =
  secrets.get("call") && secrets.get("token")
    ? { call: secrets.get("call"), token: secrets.get("token") }
    : null;

/** A problem the person can do something about: a title and, in plain words, what to do. */
class Trouble extends Error {
  constructor(title, advice, status = null, retryAfterMs = null) {
    super(title);
    this.advice = advice;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// --- What the person sees ---------------------------------------------------------------------

const view = {
  phase(name, status) {
    document.body.dataset.phase = name;
    element("status").textContent = status;
    const live = name === "live" || name === "reconnecting";
    element("start").hidden = live || name === "connecting";
    element("mute").hidden = !live;
    element("end").hidden = !(live || name === "connecting");
    element("start").querySelector("span").textContent = startWords(name === "over");
    if (!live) {
      this.speaking("");
      this.people(0);
    }
  },

  speaking(who) {
    document.body.dataset.speaking = who;
  },

  trouble(problem) {
    element("trouble").hidden = !problem;
    if (!problem) return;
    element("trouble-title").textContent = problem.message;
    element("trouble-advice").textContent = problem.advice;
  },

  people(count) {
    element("people").hidden = count < 2;
    element("people").textContent = `${count} people in the call`;
  },

  elapsed(seconds) {
    const whole = Math.max(0, Math.floor(seconds));
    element("elapsed").textContent = `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
  },

  utterance({ utterance, speaker, text, is_final: isFinal }) {
    const list = element("transcript");
    let item = list.querySelector(`[data-utterance="${utterance}"]`);
    if (!text && isFinal) {
      item?.remove();
      return;
    }
    if (!item) {
      item = document.createElement("li");
      item.dataset.utterance = utterance;
      item.dataset.speaker = speaker;
      item.append(document.createElement("span"));
      list.append(item);
    }
    item.dataset.final = String(isFinal);
    item.querySelector("span").textContent = text;
    list.scrollTop = list.scrollHeight;
  },

  latency({ utterance, end_to_end_ms: ms }) {
    const item = element("transcript").querySelector(`[data-utterance="${utterance}"]`);
    if (!item || item.querySelector("small")) return;
    const note = document.createElement("small");
    note.textContent = `answered in ${(ms / 1000).toFixed(2)} s`;
    item.append(note);
  },
};

function startWords(again) {
  if (invitation) return again ? "Join again" : "Join the call";
  return again ? "Call again" : "Start the call";
}

const END_WORDS = {
  end_call_tool: "The agent ended the call",
  participant_disconnected: "You ended the call",
  client_disconnected: "The connection was lost",
  normal_hangup: "The call was ended",
  max_call_duration: "The call reached its longest duration",
  silence_timeout: "The call ended because nobody spoke",
  insufficient_funds: "The account's credit is used up",
  server_shutdown: "The service was restarted",
};

// --- Microphone ---------------------------------------------------------------------------------

async function openMicrophone() {
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

// --- The API -------------------------------------------------------------------------------------

async function reached(path, options) {
  try {
    return await fetch(path, options);
  } catch {
    throw new Trouble(
      "Switchboard cannot be reached",
      "Check your connection, and that Switchboard is running, then start the call again.",
    );
  }
}

async function request(path, options) {
  const response = await reached(path, options);
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  const detail = problem.detail ?? problem.title ?? response.statusText;
  const retryAfterMs = Number(response.headers.get("Retry-After")) * 1000 || RETRY_MS;
  throw apiTrouble(response.status, detail, retryAfterMs);
}

function apiTrouble(status, detail, retryAfterMs) {
  const titles = {
    401: "This link's key is not valid any more",
    402: "The account has no credit left",
    403: "This link may not call this agent",
    404: invitation ? "This call does not exist" : "This agent does not exist",
    409: "This agent is not ready for calls",
    [CALL_OVER]: "The call is over",
    422: "This agent cannot speak yet",
    423: "This agent is paused",
    429: "Too many calls at once",
    503: "Switchboard cannot take the call right now",
  };
  const advice = isFinal(status) ? "Ask for a new link where you got this one." : "Try again soon.";
  const title = titles[status] ?? "The call could not be placed";
  return new Trouble(title, `${detail} ${advice}`, status, retryAfterMs);
}

/** The API's own words for this are meant for programs. */
function noRoom() {
  return new Trouble(
    "Switchboard cannot take the call right now",
    "It is busy or being restarted. Try again in a minute.",
  );
}

/** Whether an answer means that the same request will never succeed. */
function isFinal(status) {
  return [401, 403, 404, CALL_OVER].includes(status);
}

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
    this.microphone = microphone;
    this.resource = null;
    this.bearer = null;
    this.startedAt = null;
    this.over = false;
    this.reconnecting = false;
    this.endReason = null;
    this.meters = {};
    this.people = new Set();
  }

  async connect() {
    const { id, agentName, access } = await placeOrJoin();
    if (this.over) return;
    if (agentName) {
      element("agent-name").textContent = agentName;
      document.title = `${agentName} · Switchboard`;
    }
    document.body.dataset.call = id;
    this.bearer = { Authorization: `Bearer ${access.token}` };
    this.path = new URL(access.url).pathname;
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
      headers: { ...this.bearer, "Content-Type": "application/sdp" },
      body: offer,
      signal,
    });
    this.resource = response.headers.get("Location");
    return response.text();
  }

  mute(muted) {
    for (const track of this.microphone.getAudioTracks()) track.enabled = !muted;
  }

  /** Ends the call from this side. Safe to call at any time, any number of times. */
  end(status = END_WORDS.participant_disconnected, problem = null) {
    if (this.over) return;
    this.over = true;
    clearTimeout(this.connectingTimer);
    cancelAnimationFrame(this.frame);
    this.speaker?.pause();
    // The goodbye first: a connection that closes before it looks like one that was lost.
    this.#leave().finally(() => this.connection?.close());
    this.audioContext?.close();
    for (const track of this.microphone.getTracks()) track.stop();
    for (const id of ["level-user", "level-agent"]) element(id).style.transform = "scaleX(0)";
    view.phase("over", status);
    view.trouble(problem);
    if (current === this) current = null;
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
      try {
        await Promise.race([
          connection
            .open((offer) => this.#exchange(offer, withdrawal.signal))
            .then(() => connection.up),
          pause(ATTEMPT_LIMIT_MS).then(() => Promise.reject(new Error("no connection in time"))),
        ]);
        this.connection = connection;
        lost.close();
        isBack = true;
      } catch (error) {
        connection.close();
        // An offer that arrives late would replace a newer connection.
        withdrawal.abort();
        if (error.status === CALL_OVER) this.#hungUp();
        if (isFinal(error.status)) break;
        await pause(ATTEMPT_PAUSES_MS[Math.min(attempt, ATTEMPT_PAUSES_MS.length - 1)]);
      }
    }
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
    this.meters.user = new Meter(this.audioContext, this.microphone, "level-user");
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
        view.utterance(message);
        break;
      case "latency":
        view.latency(message);
        break;
      case "agent.state":
        if (message.state === "speaking") view.speaking("agent");
        else if (document.body.dataset.speaking === "agent") view.speaking("");
        element("status").textContent =
          { listening: "Listening", thinking: "Thinking", speaking: "Speaking" }[message.state];
        break;
      case "user.state":
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
    this.end(END_WORDS[this.endReason] ?? "The call has ended");
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

/** Shows how loud a stream is. */
class Meter {
  constructor(audioContext, stream, id) {
    this.bar = element(id);
    this.analyser = audioContext.createAnalyser();
    this.analyser.fftSize = 512;
    this.samples = new Float32Array(this.analyser.fftSize);
    audioContext.createMediaStreamSource(stream).connect(this.analyser);
  }

  draw() {
    this.analyser.getFloatTimeDomainData(this.samples);
    const power = this.samples.reduce((sum, sample) => sum + sample * sample, 0) / this.samples.length;
    // Speech lies between about -55 and -10 dBFS.
    const level = Math.min(1, Math.max(0, (10 * Math.log10(power + 1e-9) + 55) / 45));
    this.bar.style.transform = `scaleX(${level.toFixed(3)})`;
    if (`level-${document.body.dataset.speaking}` === this.bar.id) {
      element("orb").style.setProperty("--level", level.toFixed(3));
    }
  }
}

// --- Buttons -----------------------------------------------------------------------------------------

let current = null;

element("start").querySelector("span").textContent = startWords(false);

function setMuted(muted) {
  element("mute").setAttribute("aria-pressed", String(muted));
  element("mute").querySelector("span").textContent = muted ? "Unmute" : "Mute";
  current?.mute(muted);
}

async function start() {
  view.trouble(null);
  element("start").disabled = true;
  let call = null;
  try {
    if (!invitation && (!agentId || !key)) {
      throw new Trouble(
        "This link is not complete",
        "A call link has the form /call?agent=AGENT_ID#key=sb_publishable_… and an invitation " +
          "/call#call=CALL_ID&token=… : open it as it was given to you.",
      );
    }
    view.phase("asking", "Allow the microphone to begin");
    const microphone = await openMicrophone();
    element("transcript").replaceChildren();
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
addEventListener("pagehide", () => current?.end());
