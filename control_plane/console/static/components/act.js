/** What a person does to something: asked first if it is grave, then done, shown and told. */

import { refresh } from "../core/router.js";
import { confirmed } from "./dialog.js";
import { report, tell } from "./notices.js";

/**
 * Does `work`, shows the page again, and says `told`, which may be a function of the answer.
 *
 * @param then what shows the result; by default the page again.
 * @returns whether it was done. What went wrong is said.
 */
export async function act(work, told = null, then = refresh) {
  try {
    const answer = await work();
    await then(answer);
    const words = typeof told === "function" ? told(answer) : told;
    if (words) tell(words);
    return true;
  } catch (error) {
    report(error);
    return false;
  }
}

/** `[title, explanation, words of the button]`, and then as `act`. */
export async function actIfConfirmed(question, ...rest) {
  return (await confirmed(...question)) && act(...rest);
}
