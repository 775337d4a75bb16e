/**
 * What was said, as a list that follows the newest words. Somebody who has scrolled up keeps their
 * place: when more is said, and when the window changes its size.
 */

/** Nearer to the end than this counts as being there. */
const AT_END_PX = 32;

export class Transcript {
  /** @param {HTMLOListElement} list scrolls by itself. */
  constructor(list) {
    this.list = list;
    this.follows = true;
    /** The first message in view, and how far above the list's top it begins. */
    this.place = null;
    this.size = "";
    list.addEventListener("scroll", () => this.#scrolled());
    new ResizeObserver(() => this.#resized()).observe(list);
  }

  clear() {
    this.list.replaceChildren();
    this.follows = true;
    this.place = null;
  }

  utterance({ utterance, speaker, text, is_final: isFinal }) {
    let item = this.#find(utterance);
    if (!text && isFinal) {
      item?.remove();
      return;
    }
    if (!item) {
      item = document.createElement("li");
      item.dataset.utterance = utterance;
      item.dataset.speaker = speaker;
      const words = document.createElement("span");
      // People speak languages of either direction.
      words.dir = "auto";
      item.append(words);
      this.list.append(item);
    }
    item.dataset.final = String(isFinal);
    item.querySelector("span").textContent = text;
    this.#settle();
  }

  latency({ utterance, end_to_end_ms: ms }) {
    const item = this.#find(utterance);
    if (!item || item.querySelector("small")) return;
    const note = document.createElement("small");
    note.textContent = `answered in ${(ms / 1000).toFixed(2)} s`;
    item.append(note);
    this.#settle();
  }

  #find(utterance) {
    return this.list.querySelector(`[data-utterance="${utterance}"]`);
  }

  /** Only the person's own scrolling decides. A new size also scrolls, and is no decision. */
  #scrolled() {
    const { list } = this;
    if (this.size !== this.#currentSize()) return;
    this.follows = list.scrollHeight - list.scrollTop - list.clientHeight <= AT_END_PX;
    const item = [...list.children].find((each) => this.#top(each) + each.offsetHeight > 0);
    this.place = item ? { item, top: this.#top(item) } : null;
  }

  #resized() {
    this.size = this.#currentSize();
    this.#settle();
    if (this.follows || !this.place?.item.isConnected) return;
    this.list.scrollTop += this.#top(this.place.item) - this.place.top;
  }

  #settle() {
    if (this.follows) this.list.scrollTop = this.list.scrollHeight;
  }

  #currentSize() {
    return `${this.list.clientWidth}x${this.list.clientHeight}`;
  }

  /** Where an item begins, in pixels below the top of what is in view. */
  #top(item) {
    return item.getBoundingClientRect().top - this.list.getBoundingClientRect().top;
  }
}
