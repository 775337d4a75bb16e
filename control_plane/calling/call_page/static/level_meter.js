/** Shows how loud a stream is. */
export class Meter {
  constructor(audioContext, stream, id) {
    this.bar = document.getElementById(id);
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
      document.getElementById("orb").style.setProperty("--level", level.toFixed(3));
    }
  }
}
