/** One WebRTC connection: the microphone goes out, the agent's voice and live messages come in. */

const GATHERING_LIMIT_MS = 1500;

export class VoiceConnection {
  /**
   * @param {MediaStream} microphone
   * @param {RTCIceServer[]} iceServers
   * @param {{heard: (stream: MediaStream) => void, told: (message: object) => void,
   *          changed: (connection: VoiceConnection) => void}} listener
   */
  constructor(microphone, iceServers, listener) {
    this.peer = new RTCPeerConnection({ iceServers });
    this.peer.ontrack = ({ streams, track }) =>
      listener.heard(streams[0] ?? new MediaStream([track]));
    for (const track of microphone.getAudioTracks()) this.peer.addTrack(track, microphone);
    this.peer.createDataChannel("events").onmessage = ({ data }) =>
      listener.told(JSON.parse(data).body);
    this.up = new Promise((resolve) => {
      this.peer.onconnectionstatechange = () => {
        if (this.state === "connected") resolve();
        listener.changed(this);
      };
    });
  }

  get state() {
    return this.peer.connectionState;
  }

  /** Offers with all candidates. `exchange` takes the offer's SDP and resolves to the answer's. */
  async open(exchange) {
    await this.peer.setLocalDescription();
    await gatheringFinished(this.peer);
    const answer = await exchange(this.peer.localDescription.sdp);
    if (this.state !== "closed") await this.peer.setRemoteDescription({ type: "answer", sdp: answer });
  }

  /** From now on `track` goes out. */
  async speakWith(track) {
    if (this.state === "closed") return;
    for (const sender of this.peer.getSenders()) await sender.replaceTrack(track);
  }

  close() {
    this.peer.close();
  }
}

/** Resolves when the offer holds all candidates, or after a limit with those found so far. */
function gatheringFinished(peer) {
  if (peer.iceGatheringState === "complete") return Promise.resolve();
  return new Promise((resolve) => {
    setTimeout(resolve, GATHERING_LIMIT_MS);
    peer.addEventListener("icegatheringstatechange", () => {
      if (peer.iceGatheringState === "complete") resolve();
    });
  });
}
