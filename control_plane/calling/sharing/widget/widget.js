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

  class Call {
    async begin() {
      this.microphone = await this.#openMicrophone();
      if (this.over) return this.#release();
      const created = await (await request(`${api}/calls`, { method: "POST" })).json();
      this.url = created.access.url;
      this.bearer = { Authorization: `Bearer ${created.access.token}` };
      const { ice_servers: iceServers } = await (
        await request(`${this.url}/ice-servers`, { headers: this.bearer })
      ).json();
      if (this.over) return this.#release();
      this.peer = new RTCPeerConnection({ iceServers });
      for (const track of this.microphone.getTracks()) this.peer.addTrack(track, this.microphone);
      this.peer.ontrack = ({ streams, track }) => this.#hear(streams[0] ?? new MediaStream([track]));
      this.peer.createDataChannel("events").onmessage = ({ data }) => this.#told(JSON.parse(data).body);
      this.peer.onconnectionstatechange = () => this.#changed();
      await this.peer.setLocalDescription();
      await this.#gathered();
      const answer = await this.#exchange(this.peer.localDescription.sdp);
      if (this.over) return this.#leave();
      await this.peer.setRemoteDescription({ type: "answer", sdp: answer });
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

    #gathered() {
      const peer = this.peer;
      return new Promise((resolve) => {
        const look = () => peer.iceGatheringState === "complete" && resolve();
        peer.addEventListener("icegatheringstatechange", look);
        setTimeout(resolve, GATHERING_LIMIT_MS);
        look();
      });
    }

    /** Sends the offer, again while no worker has room for it, and resolves to the answer. */
    async #exchange(offer) {
      const until = performance.now() + CONNECTING_LIMIT_MS;
      for (;;) {
        try {
          const response = await request(this.url, {
            method: "POST",
            headers: { ...this.bearer, "Content-Type": "application/sdp" },
            body: offer,
          });
          this.leg = new URL(response.headers.get("Location"), home).href;
          return await response.text();
        } catch (error) {
          if (error.status !== 503 || performance.now() + error.retryMs > until || this.over) throw error;
          await pause(error.retryMs);
        }
      }
    }

    #hear(stream) {
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

    #changed() {
      const state = this.peer.connectionState;
      if (state === "connected" && !this.startedAt) {
        clearTimeout(this.deadline);
        this.startedAt = performance.now();
        show("live", "Connected");
        this.#tick();
        this.ticking = setInterval(() => this.#tick(), 500);
      }
      if (state === "failed") this.finish("The connection was lost.");
      if (state === "closed") this.finish("The call has ended.");
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
