/**
 * Puts a button on a page with which its visitors talk to a shared agent:
 *
 *   <script src="https://switchboard.example.com/widget.js" data-link="TOKEN" defer></script>
 *
 * `data-link` is the link's token or its whole address, `data-label` replaces the button's words. The
 * link must permit the page's origin (`allowed_origins`). Everything is in a shadow root, and the
 * styles need no `style-src`.
 */
(() => {
  "use strict";

  const CONNECTING_LIMIT_MS = 15000;
  const GATHERING_LIMIT_MS = 1500;
  const RETRY_MS = 2000;
  /** A browser may report a loss that is over a moment later, so wait this long first. */
  const RECOVERY_MS = 1000;
  /** The room waits 20 s from the last packet. Browsers notice its absence after some seconds. */
  const RECONNECTING_LIMIT_MS = 18000;
  const ATTEMPT_LIMIT_MS = 6000;
  const ATTEMPT_PAUSES_MS = [500, 1000, 2000];
  const CALL_OVER = 410;
  /** Answers to an offer after which no other offer will succeed. */
  const FINAL = [401, 403, 404, CALL_OVER];

  const script = document.currentScript;
  const home = new URL(script.src).origin;
  const token = (script.dataset.link ?? "").split("/").filter(Boolean).pop() ?? "";
  const api = `${home}/v1/shared/${encodeURIComponent(token)}`;

  const WORDS = {
    share_link_off: "This agent is not available.",
    share_link_unpublished: "This agent takes no calls right now.",
    share_link_pool_empty: "No minutes are left.",
    share_link_busy: "All lines are busy. Try again in a few minutes.",
    share_link_rate_limited: "You have called very often. Try again in an hour.",
  };
  const MICROPHONE = {
    NotAllowedError: "The microphone is blocked. Allow it for this site, then try again.",
    NotFoundError: "No microphone was found.",
    NotReadableError: "Another program uses the microphone.",
  };
  const STATES = {
    off: WORDS.share_link_off,
    empty: WORDS.share_link_pool_empty,
    busy: WORDS.share_link_busy,
  };

  const STYLE = `
    :host { all: initial; position: fixed; right: 16px; bottom: 16px; z-index: 2147483000; color-scheme: light dark; }
    * { box-sizing: border-box; }
    [hidden] { display: none !important; }
    .widget { --accent: #0f766e; --on: #fff; --ground: #fff; --ink: #17201e; --quiet: #5b6764; --line: #dfe4e1; --danger: #b42318;
      display: grid; gap: 8px; justify-items: end; max-width: min(320px, calc(100vw - 32px));
      font: 16px/1.4 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; color: var(--ink); }
    .panel { width: min(288px, calc(100vw - 32px)); padding: 14px 16px; border: 1px solid var(--line); border-radius: 16px; background: var(--ground);
      box-shadow: 0 8px 30px rgb(0 0 0 / .18); display: grid; gap: 10px; }
    .head { display: flex; justify-content: space-between; gap: 12px; font-weight: 600; overflow-wrap: anywhere; }
    time { font-variant-numeric: tabular-nums; color: var(--quiet); font-weight: 400; }
    p { margin: 0; color: var(--quiet); font-size: 14px; overflow-wrap: anywhere; }
    .row { display: flex; gap: 8px; }
    button { font: inherit; font-weight: 600; min-height: 48px; padding: 0 20px; border: 0; border-radius: 999px; cursor: pointer;
      background: var(--accent); color: var(--on); overflow-wrap: anywhere; }
    button:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
    button:disabled { opacity: .7; cursor: progress; }
    .start { box-shadow: 0 6px 20px rgb(0 0 0 / .22); }
    .row button { flex: 1; padding: 0 12px; white-space: nowrap; }
    .mute { background: transparent; color: var(--ink); border: 1px solid var(--line); }
    .mute[aria-pressed="true"] { background: var(--ink); color: var(--ground); }
    .end { background: var(--danger); color: #fff; }
    @media (prefers-color-scheme: dark) {
      .widget { --accent: #2dd4bf; --on: #06221f; --ground: #181f1d; --ink: #e9efec; --quiet: #9aa8a3; --line: #2a3431; --danger: #ff8b7e; }
      .end { color: #2b0d0a; }
    }`;

  /** An element with a class, text and children. */
  function make(name, className, text = "", ...children) {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.append(...(text ? [text] : []), ...children);
    return made;
  }

  const host = document.createElement("div");
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  const title = make("span", "name");
  const clock = make("time");
  const status = make("p", "status");
  const note = make("p", "note");
  const mute = make("button", "mute", "Mute");
  const end = make("button", "end", "End");
  const start = make("button", "start");
  const controls = make("div", "row", "", mute, end);
  const panel = make("div", "panel", "", make("div", "head", "", title, clock), status, note, controls);
  for (const each of [mute, end, start]) each.type = "button";
  status.setAttribute("role", "status");
  mute.setAttribute("aria-pressed", "false");
  panel.setAttribute("role", "group");
  panel.setAttribute("aria-label", "Voice call");
  const widget = make("div", "widget", "", panel, start);
  root.append(widget);

  let agent = null;
  let call = null;

  function show(phase, words = "") {
    host.dataset.phase = phase;
    const open = phase === "connecting" || phase === "live";
    start.hidden = open;
    controls.hidden = !open;
    mute.disabled = phase !== "live";
    clock.hidden = phase !== "live";
    status.textContent = words;
    status.hidden = !words;
    note.textContent = agent.is_recorded && !open ? consent() : "";
    note.hidden = !note.textContent;
    title.textContent = agent.name;
    panel.hidden = !open && status.hidden && note.hidden;
  }

  function consent() {
    return agent.asks_consent
      ? "The call is recorded. The agent says so first, and you can refuse."
      : "The call is recorded.";
  }

  /** An API answer; throws an `Error` in a visitor's words, with the problem's `status` and `code`. */
  async function request(url, options = {}) {
    const response = await fetch(url, { ...options, credentials: "omit", referrerPolicy: "no-referrer" });
    if (response.ok) return response;
    const problem = await response.json().catch(() => ({}));
    const error = new Error(WORDS[problem.code] ?? "The call could not be placed. Try again later.");
    error.status = response.status;
    error.code = problem.code;
    error.detail = problem.detail;
    error.retryMs = Number(response.headers.get("Retry-After")) * 1000 || RETRY_MS;
    throw error;
  }

  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const withdrawn = (signal) =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("withdrawn"))));

  /** Resolves when the offer holds all candidates, or after a limit with those found so far. */
  function gathered(peer) {
    return new Promise((resolve) => {
      const look = () => peer.iceGatheringState === "complete" && resolve();
      peer.addEventListener("icegatheringstatechange", look);
      setTimeout(resolve, GATHERING_LIMIT_MS);
      look();
    });
  }

  function connected(peer) {
    return new Promise((resolve) => {
      peer.addEventListener("connectionstatechange", () => peer.connectionState === "connected" && resolve());
    });
  }

  class Call {
    constructor() {
      // Pages without https have none, and no microphone either.
      this.name = crypto.randomUUID?.();
      this.offers = 0;
    }

    async begin() {
      this.#speakInto(await this.#openMicrophone());
      if (this.over) return this.#release();
      const created = await (await request(`${api}/calls`, { method: "POST" })).json();
      this.url = created.access.url;
      this.bearer = { Authorization: `Bearer ${created.access.token}` };
      // Until there is a leg, the visitor leaves the call itself.
      this.leg = this.url;
      if (this.over) return this.#leave();
      const found = await request(`${this.url}/ice-servers`, { headers: this.bearer });
      this.iceServers = (await found.json()).ice_servers;
      if (this.over) return this.#release();
      this.peer = this.#newPeer();
      await this.#open(this.peer, (offer) => this.#firstExchange(offer));
      if (this.over) return this.#leave();
      this.deadline = setTimeout(() => this.finish("The connection failed."), CONNECTING_LIMIT_MS);
    }

    async #openMicrophone() {
      try {
        return await navigator.mediaDevices.getUserMedia({
          audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true },
        });
      } catch (error) {
        throw new Error(MICROPHONE[error.name] ?? "The microphone cannot be used on this page.");
      }
    }

    #speakInto(microphone) {
      this.microphone = microphone;
      for (const track of microphone.getAudioTracks()) track.onended = () => this.#microphoneEnded(track);
    }

    /** A headset was unplugged, for example. The call goes on with another microphone. */
    async #microphoneEnded(ended) {
      try {
        const microphone = await this.#openMicrophone();
        const [track] = microphone.getAudioTracks();
        if (this.over) return track.stop();
        track.enabled = ended.enabled;
        this.#speakInto(microphone);
        const peers = [this.peer, this.attempt?.peer].filter((peer) => peer && peer.connectionState !== "closed");
        await Promise.all(peers.flatMap((peer) => peer.getSenders().map((sender) => sender.replaceTrack(track))));
      } catch (error) {
        if (!this.over) status.textContent = error.message;
      }
    }

    #newPeer() {
      const peer = new RTCPeerConnection({ iceServers: this.iceServers });
      for (const track of this.microphone.getTracks()) peer.addTrack(track, this.microphone);
      peer.ontrack = ({ streams, track }) => this.#hear(streams[0] ?? new MediaStream([track]));
      peer.createDataChannel("events").onmessage = ({ data }) => this.#told(JSON.parse(data).body);
      peer.onconnectionstatechange = () => this.#changed(peer);
      return peer;
    }

    /** `exchange` takes the offer's SDP and resolves to the answer's. */
    async #open(peer, exchange) {
      await peer.setLocalDescription();
      await gathered(peer);
      const answer = await exchange(peer.localDescription.sdp);
      if (!this.over) await peer.setRemoteDescription({ type: "answer", sdp: answer });
    }

    async #exchange(offer, signal = null) {
      const response = await request(this.url, {
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
      this.leg = new URL(response.headers.get("Location"), home).href;
      return response.text();
    }

    /** Sends the offer again while no worker has room for it. */
    async #firstExchange(offer) {
      const until = performance.now() + CONNECTING_LIMIT_MS;
      for (;;) {
        try {
          return await this.#exchange(offer);
        } catch (error) {
          if (error.status !== 503 || performance.now() + error.retryMs > until || this.over) throw error;
          await pause(error.retryMs);
        }
      }
    }

    #hear(stream) {
      this.speaker?.pause();
      this.speaker = new Audio();
      this.speaker.srcObject = stream;
      this.speaker.play().catch(() => (status.textContent = "Your browser blocked the sound."));
    }

    #told(message) {
      if (this.over) return;
      const heard = { listening: "Listening", thinking: "Thinking", speaking: "Speaking" };
      if (message.type === "agent.state" && heard[message.state]) status.textContent = heard[message.state];
      if (message.type === "call.ended") this.finish("The call has ended.");
    }

    #changed(peer) {
      if (peer !== this.peer || this.reconnecting || this.over) return;
      const state = peer.connectionState;
      if (state === "connected" && !this.startedAt) {
        clearTimeout(this.deadline);
        this.startedAt = performance.now();
        show("live", "Connected");
        this.#tick();
        this.ticking = setInterval(() => this.#tick(), 500);
      }
      if (state === "disconnected" && this.startedAt) this.#reconnect();
      if (state === "failed") this.startedAt ? this.#reconnect() : this.finish("The connection failed.");
      if (state === "closed") this.finish("The call has ended.");
    }

    /** Makes new connections until one is up, the call is over, or the room no longer waits. */
    async #reconnect() {
      this.reconnecting = true;
      const lost = this.peer;
      const until = performance.now() + RECONNECTING_LIMIT_MS;
      show("live", "Reconnecting…");
      if (lost.connectionState === "disconnected") await pause(RECOVERY_MS);
      // Closed by the room, so the call is over. After a new offer it would not mean that.
      if (lost.connectionState === "closed") this.finish("The call has ended.");
      let isBack = lost.connectionState === "connected";
      for (let attempt = 0; !isBack && !this.over && performance.now() < until; attempt++) {
        const peer = this.#newPeer();
        const withdrawal = new AbortController();
        this.attempt = { peer, withdrawal };
        const up = connected(peer);
        try {
          await Promise.race([
            this.#open(peer, (offer) => this.#exchange(offer, withdrawal.signal)).then(() => up),
            pause(ATTEMPT_LIMIT_MS).then(() => Promise.reject(new Error("no connection in time"))),
            withdrawn(withdrawal.signal),
          ]);
          this.peer = peer;
          lost.close();
          isBack = true;
        } catch (error) {
          peer.close();
          withdrawal.abort();
          if (error.status === CALL_OVER) this.finish("The call has ended.");
          if (this.over || FINAL.includes(error.status)) break;
          await pause(ATTEMPT_PAUSES_MS[Math.min(attempt, ATTEMPT_PAUSES_MS.length - 1)]);
        }
      }
      this.attempt = null;
      this.reconnecting = false;
      if (this.over) this.#leave();
      else if (isBack) show("live", "Connected");
      else this.finish("The connection was lost.");
    }

    #tick() {
      const seconds = Math.floor((performance.now() - this.startedAt) / 1000);
      clock.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    }

    mute(muted) {
      for (const track of this.microphone?.getAudioTracks() ?? []) track.enabled = !muted;
    }

    /** Safe to call at any time, any number of times. */
    finish(words) {
      if (this.over) return;
      this.over = true;
      if (call === this) call = null;
      this.attempt?.withdrawal.abort();
      clearTimeout(this.deadline);
      clearInterval(this.ticking);
      this.#leave();
      setMuted(false);
      show("over", words);
    }

    #leave() {
      if (this.leg) {
        // keepalive lets the request outlive the page when the tab is closed.
        fetch(this.leg, { method: "DELETE", headers: this.bearer, keepalive: true, credentials: "omit" }).catch(
          () => undefined,
        );
        this.leg = null;
      }
      this.#release();
    }

    #release() {
      this.speaker?.pause();
      if (this.peer) this.peer.onconnectionstatechange = null;
      this.peer?.close();
      for (const track of this.microphone?.getTracks() ?? []) track.stop();
    }
  }

  function setMuted(muted) {
    mute.setAttribute("aria-pressed", String(muted));
    mute.textContent = muted ? "Unmute" : "Mute";
    call?.mute(muted);
  }

  async function begin() {
    if (call || start.disabled) return;
    start.disabled = true;
    const now = await look();
    start.disabled = false;
    agent = now?.name ? now : agent;
    if (now && now.state !== "ready") {
      show("over", STATES[now.state] ?? WORDS.share_link_unpublished);
      return;
    }
    const mine = (call = new Call());
    show("connecting", "Allow the microphone to begin");
    end.focus();
    try {
      await mine.begin();
    } catch (error) {
      mine.finish(error instanceof TypeError ? "The service cannot be reached." : error.message);
    }
  }

  async function look() {
    try {
      return await (await request(api)).json();
    } catch (error) {
      console.warn(`Switchboard's widget is not shown: ${error.detail ?? error.message}`);
      return null;
    }
  }

  async function install() {
    if (!token) {
      console.warn("Switchboard's widget needs the link: <script … data-link=\"…\">");
      return;
    }
    agent = await look();
    // What its owner has switched off is not offered.
    if (!agent?.name) return;
    start.textContent = script.dataset.label || `Talk to ${agent.name}`;
    start.addEventListener("click", begin);
    end.addEventListener("click", () => call?.finish("You ended the call."));
    mute.addEventListener("click", () => setMuted(mute.getAttribute("aria-pressed") !== "true"));
    addEventListener("pagehide", () => call?.finish(""));
    show("idle", STATES[agent.state]);
    document.body.append(host);
  }

  if (document.body) install();
  else addEventListener("DOMContentLoaded", install, { once: true });
})();
