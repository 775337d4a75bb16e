/** The picture of a stereo recording: the caller above the line, the agent below it. */

const HZ = 8000;
const BARS = 400;

/** The loudest sample of each of `BARS` equal parts. */
function peaks(samples) {
  const length = Math.max(1, Math.ceil(samples.length / BARS));
  return Array.from({ length: BARS }, (_, bar) => {
    let peak = 0;
    for (let at = bar * length; at < Math.min(samples.length, (bar + 1) * length); at += 4)
      peak = Math.max(peak, Math.abs(samples[at]));
    return peak;
  });
}

function draw(canvas, sides, share) {
  const { width, height } = canvas.getBoundingClientRect();
  const scale = devicePixelRatio;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  const style = getComputedStyle(document.documentElement);
  const colours = ["--user", "--accent"].map((name) => style.getPropertyValue(name));
  sides.forEach((side, index) => {
    pen.fillStyle = colours[index];
    side.forEach((peak, bar) => {
      const tall = Math.max(0.5, peak * (height / 2 - 3));
      pen.globalAlpha = bar / BARS < share ? 1 : 0.45;
      pen.fillRect((bar * width) / BARS, height / 2 - (index === 0 ? tall : 0), Math.max(1, width / BARS - 0.6), tall);
    });
  });
}

/** Draws once the recording is read, if it can be. */
export async function drawWave(canvas, source, sound, signal, seek, shown) {
  let sides;
  try {
    const file = await fetch(source, { signal });
    if (!file.ok) return;
    const decoded = await new OfflineAudioContext(2, 1, HZ).decodeAudioData(await file.arrayBuffer());
    if (decoded.numberOfChannels !== 2) return;
    sides = [peaks(decoded.getChannelData(0)), peaks(decoded.getChannelData(1))];
  } catch {
    return;
  }
  if (signal.aborted) return;
  shown();
  const redraw = () => draw(canvas, sides, sound.duration ? sound.currentTime / sound.duration : 0);
  redraw();
  sound.addEventListener("timeupdate", redraw);
  addEventListener("resize", redraw, { signal });
  canvas.addEventListener("click", ({ offsetX }) => {
    if (sound.duration) seek((offsetX / canvas.clientWidth) * sound.duration);
  });
}
