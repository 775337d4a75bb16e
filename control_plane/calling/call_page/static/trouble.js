/** Problems that the person can do something about. */

/** A title and, in plain words, what to do. */
export class Trouble extends Error {
  constructor(title, advice, status = null, retryAfterMs = null) {
    super(title);
    this.advice = advice;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** `text` with a full stop, unless it ends a sentence already. */
export const sentence = (text) => (/[.!?…]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`);
